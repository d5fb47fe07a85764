// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package doctor

import "fmt"

func checkEngine(r Readings) *Result {
	const name = "container engine"
	if err := r.Engine.Err; err != nil {
		return fail(name, err.Error(),
			"start Docker or Podman, for example with: sudo systemctl start docker")
	}
	e := r.Engine.Value
	read := fmt.Sprintf("%s %s, storage driver %s", e.Name, e.Version, e.StorageDriver)
	if e.StorageDriver == "vfs" {
		return warn(name, read, "choose a storage driver that shares layers, as vfs copies the node image for each node: "+
			"https://docs.docker.com/engine/storage/drivers/select-storage-driver/")
	}
	return ok(name, read)
}

// checkPrivileged returns nil if there is no engine to start a container with.
func checkPrivileged(r Readings) *Result {
	const name = "privileged containers"
	if r.Engine.Err != nil {
		return nil
	}
	const start = "in a checkout of draconform started with: sudo go run ./hack/engine"
	p, err := r.Privileged.Value, r.Privileged.Err
	switch {
	case err != nil:
		return warn(name, err.Error(), "create a cluster to find out")
	case p.Tried && p.StartErr == nil:
		return ok(name, "one was started")
	case p.Tried && p.Withheld != 0:
		return fail(name, fmt.Sprintf("none starts, and this machine withholds %s: %v", p.Withheld, p.StartErr),
			"stop this engine and use one "+start)
	case p.Tried:
		return fail(name, fmt.Sprintf("none starts: %v", p.StartErr),
			"see what the engine allows, with: "+r.Engine.Value.Name+" info")
	case p.Withheld != 0:
		return warn(name, fmt.Sprintf("not tried; this machine withholds %s", p.Withheld),
			"if nodes do not start, use Docker, "+start)
	}
	return ok(name, "not tried; this machine withholds no capability")
}

// checkRootless returns nil for an engine that runs as root.
func checkRootless(r Readings) *Result {
	const name = "rootless engine"
	if r.Engine.Err != nil || !r.Engine.Value.Rootless {
		return nil
	}
	const guide = "https://kind.sigs.k8s.io/docs/user/rootless/"
	if r.Engine.Value.CgroupVersion == 1 {
		return fail(name, "with cgroup v1", "run the engine as root, or boot with cgroup v2 and follow "+guide)
	}
	return warn(name, "with cgroup v2", "delegate the cgroup controllers to your user, as "+guide+" shows")
}

func checkCgroup(r Readings) *Result {
	const name = "cgroup version"
	if err := r.Machine.Err; err != nil {
		return unread(name, err)
	}
	switch version := r.Machine.Value.CgroupVersion; version {
	case 2:
		return ok(name, "2")
	case 1:
		return warn(name, "1, which Kubernetes has deprecated; nodes get failCgroupV1: false and the cgroup driver cgroupfs",
			"boot with cgroup v2, by the kernel argument systemd.unified_cgroup_hierarchy=1")
	}
	return warn(name, "unknown", "see the version, with: docker info")
}
