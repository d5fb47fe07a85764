// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"context"
	"fmt"

	"github.com/draconform/draconform/clusters/engine"
)

// NoRoom returns the reason why this machine is too small for clusters with these
// numbers of workers at the same time: the memory of the engine or, for more than one
// cluster, the limit of inotify instances. It returns an empty string if the machine is
// large enough. A value that cannot be read is no reason: an error shows when a cluster
// is created.
func NoRoom(ctx context.Context, workers ...int) string {
	return noRoom(read(engineMemory(ctx)), read(number(inotifyInstances)), workers)
}

// engineMemory returns the memory in bytes of the machine on which the engine runs
// containers.
func engineMemory(ctx context.Context) (uint64, error) {
	e, err := engine.Find(ctx)
	if err != nil {
		return 0, err
	}
	info, err := e.Info(ctx)
	return info.MemoryBytes, err
}

func noRoom(memory Reading[uint64], instances Reading[int], workers []int) string {
	nodes := 0
	for _, n := range workers {
		nodes += 1 + n
	}
	// The engine and the suite exist once.
	bytes := memoryWithoutWorkers + uint64(nodes-1)*memoryPerWorker //nolint:gosec // There is at least one node.
	several := len(workers) > 1
	what := fmt.Sprintf("%d clusters with %d nodes together need", len(workers), nodes)
	if !several {
		what = fmt.Sprintf("a cluster with %d worker nodes needs", nodes-1)
	}
	if memory.Err == nil && memory.Value < bytes {
		return fmt.Sprintf("%s %s of memory, the engine has %s", what, size(bytes), size(memory.Value))
	}
	needed := nodes * instancesPerNode
	if several && instances.Err == nil && instances.Value < needed {
		return fmt.Sprintf("%s %d inotify instances, the limit is %d: raise it, with: sudo sysctl fs.inotify.max_user_instances=%d",
			what, needed, instances.Value, max(needed, instancesForFiveNodes))
	}
	return ""
}
