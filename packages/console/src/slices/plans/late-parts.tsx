/** What a page shows after its first paint, or when it is asked for: parts of their own, so that the page comes early. */
import { Skeleton } from "@mantine/core";
import { type ComponentProps, lazy, Suspense } from "react";

const LazySimulation = lazy(async () => ({ default: (await import("./simulation.tsx")).Simulation }));
const LazySource = lazy(async () => ({ default: (await import("./usage-source.tsx")).UsageSource }));
const LazyReview = lazy(async () => ({ default: (await import("./review-dialog.tsx")).ReviewDialog }));
const LazyChanged = lazy(async () => ({ default: (await import("./changed-meanwhile.tsx")).ChangedMeanwhile }));
const LazyDelete = lazy(async () => ({ default: (await import("./delete-dialog.tsx")).DeleteDialog }));

export const Simulation = (props: ComponentProps<typeof LazySimulation>) => (
  <Suspense fallback={<Skeleton height={480} radius={2} />}>
    <LazySimulation {...props} />
  </Suspense>
);

export const UsageSource = (props: ComponentProps<typeof LazySource>) => (
  <Suspense fallback={<Skeleton height={56} radius={2} />}>
    <LazySource {...props} />
  </Suspense>
);

export const ReviewDialog = (props: ComponentProps<typeof LazyReview>) => (
  <Suspense fallback={null}>
    <LazyReview {...props} />
  </Suspense>
);

export const ChangedMeanwhile = (props: ComponentProps<typeof LazyChanged>) => (
  <Suspense fallback={null}>
    <LazyChanged {...props} />
  </Suspense>
);

export const DeleteDialog = (props: ComponentProps<typeof LazyDelete>) => (
  <Suspense fallback={null}>
    <LazyDelete {...props} />
  </Suspense>
);
