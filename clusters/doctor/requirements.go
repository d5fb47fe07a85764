// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package doctor

const gib = 1 << 30

const (
	// DiskToRun is the free disk in bytes that clusters need if the node image
	// already exists. A worker writes 0.3 GiB and a control plane 0.7 GiB
	// before the first pod. The rest is for etcd, the logs, the suite's images
	// on each node and the second node image of an upgrade.
	DiskToRun = 6 * gib
	// DiskToBuild is the free disk in bytes that is needed to also build node
	// images: for the Go build cache of Kubernetes, the root file system and
	// the archives.
	DiskToBuild = 15 * gib
)

const (
	// A control plane and two workers with the suite's pods use less than 5
	// GiB. The engine and the suite itself use the rest.
	memoryWithoutWorkers = 4 * gib
	memoryPerWorker      = gib
	memoryNeeded         = memoryWithoutWorkers + 2*memoryPerWorker
	memoryForFiveNodes   = memoryWithoutWorkers + 4*memoryPerWorker

	// kubeadm requires two cores for a control plane.
	coresNeeded = 2

	// The limits are per user and shared by all nodes. A node without pods uses
	// 17 instances, 7 of them for its kubelet, and 150 watches. Every driver
	// and every pod with a volume uses more. 128 instances and 8192 watches
	// have long been the defaults of the kernel.
	instancesPerNode      = 42
	instancesNeeded       = 128
	instancesForFiveNodes = 512
	watchesForFiveNodes   = 8192
	watchesAdvised        = 65536
)
