// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"fmt"
	"strconv"
)

func checkDisk(r Readings) *Result {
	name := "free disk"
	if root := r.Machine.Value.DataRoot; root != "" {
		name += " in " + root
	}
	if err := r.DiskFree.Err; err != nil {
		return warn(name, err.Error(),
			"see that "+size(DiskToRun)+" are free where the engine keeps images, with: docker system df")
	}
	const how = ", with: draconform clean; docker system prune"
	free := r.DiskFree.Value
	switch {
	case free < DiskToRun:
		return fail(name, size(free), "free "+size(DiskToRun)+", or "+size(DiskToBuild)+" to build node images too"+how)
	case free < DiskToBuild:
		return warn(name, size(free), "free "+size(DiskToBuild)+" if node images have to be built"+how)
	}
	return ok(name, size(free))
}

func checkMemory(r Readings) *Result {
	const name = "memory"
	if err := r.Machine.Err; err != nil {
		return unread(name, err)
	}
	total := r.Machine.Value.MemoryBytes
	switch {
	case total < memoryNeeded:
		return fail(name, size(total), "give the engine "+size(memoryNeeded)+", or "+size(memoryForFiveNodes)+" for five nodes")
	case total < memoryForFiveNodes:
		return warn(name, size(total), "give the engine "+size(memoryForFiveNodes)+" to run clusters of five nodes")
	}
	return ok(name, size(total))
}

func checkCores(r Readings) *Result {
	const name = "cores"
	if err := r.Machine.Err; err != nil {
		return unread(name, err)
	}
	cores := r.Machine.Value.Cores
	if cores < coresNeeded {
		return fail(name, strconv.Itoa(cores), fmt.Sprintf("give the engine %d cores", coresNeeded))
	}
	return ok(name, strconv.Itoa(cores))
}

func checkInotifyInstances(r Readings) *Result {
	const name = "inotify instances"
	if err := r.InotifyInstances.Err; err != nil {
		return unread(name, err)
	}
	limit := r.InotifyInstances.Value
	advice := fmt.Sprintf("raise the limit, with: sudo sysctl fs.inotify.max_user_instances=%d", instancesForFiveNodes)
	switch {
	case limit < instancesNeeded:
		return fail(name, fmt.Sprintf("%d, too few for three nodes", limit), advice)
	case limit < instancesForFiveNodes:
		return warn(name, fmt.Sprintf("%d, little for five nodes", limit), advice)
	}
	return ok(name, strconv.Itoa(limit))
}

func checkInotifyWatches(r Readings) *Result {
	const name = "inotify watches"
	if err := r.InotifyWatches.Err; err != nil {
		return unread(name, err)
	}
	limit := r.InotifyWatches.Value
	if limit < watchesForFiveNodes {
		return warn(name, fmt.Sprintf("%d, too few for five nodes", limit),
			fmt.Sprintf("raise the limit, with: sudo sysctl fs.inotify.max_user_watches=%d", watchesAdvised))
	}
	return ok(name, strconv.Itoa(limit))
}

func checkOverlay(r Readings) *Result {
	const name = "overlay file system"
	if err := r.Overlay.Err; err != nil {
		return unread(name, err)
	}
	if !r.Overlay.Value {
		return warn(name, "not in /proc/filesystems",
			"load the module, which nodes need for their containers, with: sudo modprobe overlay")
	}
	return ok(name, "in the kernel")
}

// size formats bytes as GiB with one decimal, rounded down: 5.99 GiB is
// formatted as 5.9.
func size(bytes uint64) string {
	return fmt.Sprintf("%d.%d GiB", bytes/gib, bytes%gib*10/gib)
}
