-- No query takes bills by when they are ready: the due instant of their invoice says when to work on them (ADR 0046).
drop index bills_ready;
