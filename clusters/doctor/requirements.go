package doctor

const gib = 1 << 30

const (
	// DiskToRun is what clusters need in bytes, beside a node image that is
	// there. A worker writes 0.3 GiB and a control plane 0.7 GiB before the
	// first pod; etcd, the logs, the suite's images on each node and the second
	// node image of an upgrade take the rest.
	DiskToRun = 6 * gib
	// DiskToBuild is what it takes to build node images as well: the Go build
	// cache of Kubernetes, the root file system and the archives.
	DiskToBuild = 15 * gib
)

const (
	// A control plane and two workers with the suite's pods stay below 5 GiB;
	// the engine and the suite itself need the rest.
	memoryWithoutWorkers = 4 * gib
	memoryPerWorker      = gib
	memoryNeeded         = memoryWithoutWorkers + 2*memoryPerWorker
	memoryForFiveNodes   = memoryWithoutWorkers + 4*memoryPerWorker

	// kubeadm demands two for a control plane.
	coresNeeded = 2

	// The limits are per user, so that all nodes share them. A node without
	// pods holds 17 instances, 7 of them its kubelet's, and 150 watches; every
	// driver and every pod with a volume adds to that. 128 instances and 8192
	// watches are what the kernel has long had as its defaults.
	instancesNeeded       = 128
	instancesForFiveNodes = 512
	watchesForFiveNodes   = 8192
	watchesAdvised        = 65536
)
