// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters/engine/caps"
)

// checkCase is a healthy machine with one change, and the expected result of a
// check.
type checkCase struct {
	change func(*Readings)
	status Status // no result if empty
	read   string // part of the reading
	advice string // part of the advice
}

func expectChecks(t *testing.T, check func(Readings) *Result, table map[string]checkCase) {
	t.Helper()
	for name, test := range table {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			r := healthy()
			test.change(&r)
			result := check(r)
			if test.status == "" {
				g.Expect(result).To(BeNil())
				return
			}
			g.Expect(result).NotTo(BeNil())
			g.Expect(result.Status).To(Equal(test.status))
			g.Expect(result.Read).To(ContainSubstring(test.read))
			g.Expect(result.Advice).To(ContainSubstring(test.advice))
		})
	}
}

func TestCheckEngine(t *testing.T) {
	expectChecks(t, checkEngine, map[string]checkCase{
		"answers":       {func(*Readings) {}, OK, "docker 28.2.2, storage driver overlay2", ""},
		"none":          {func(r *Readings) { r.Engine.Err = errBroken }, Fail, "broken", "sudo systemctl start docker"},
		"copies layers": {func(r *Readings) { r.Engine.Value.StorageDriver = "vfs" }, Warn, "vfs", "storage driver that shares layers"},
	})
}

func TestCheckPrivileged(t *testing.T) {
	set := func(p Privileged, err error) func(*Readings) {
		return func(r *Readings) { r.Privileged = read(p, err) }
	}
	const sysResource = caps.Set(1 << 24)
	expectChecks(t, checkPrivileged, map[string]checkCase{
		"started":               {set(Privileged{Tried: true}, nil), OK, "one was started", ""},
		"started, withheld":     {set(Privileged{Tried: true, Withheld: sysResource}, nil), OK, "one was started", ""},
		"not started":           {set(Privileged{Tried: true, StartErr: errBroken}, nil), Fail, "none starts: broken", "docker info"},
		"not started, withheld": {set(Privileged{Tried: true, StartErr: errBroken, Withheld: sysResource}, nil), Fail, "withholds CAP_SYS_RESOURCE: broken", "go run ./hack/engine"},
		"not tried":             {set(Privileged{}, nil), OK, "not tried; this machine withholds no capability", ""},
		"not tried, withheld":   {set(Privileged{Withheld: sysResource}, nil), Warn, "not tried; this machine withholds CAP_SYS_RESOURCE", "go run ./hack/engine"},
		"unknown":               {set(Privileged{}, errBroken), Warn, "broken", "create a cluster"},
		"no engine":             {func(r *Readings) { r.Engine.Err = errBroken }, "", "", ""},
	})
}

func TestCheckRootless(t *testing.T) {
	expectChecks(t, checkRootless, map[string]checkCase{
		"root":      {func(*Readings) {}, "", "", ""},
		"no engine": {func(r *Readings) { r.Engine.Value.Rootless, r.Engine.Err = true, errBroken }, "", "", ""},
		"cgroup v2": {func(r *Readings) { r.Engine.Value.Rootless = true }, Warn, "with cgroup v2", "kind.sigs.k8s.io/docs/user/rootless"},
		"cgroup v1": {func(r *Readings) { r.Engine.Value.Rootless, r.Engine.Value.CgroupVersion = true, 1 }, Fail, "with cgroup v1", "as root"},
	})
}

func TestCheckCgroup(t *testing.T) {
	set := func(version int) func(*Readings) {
		return func(r *Readings) { r.Machine.Value.CgroupVersion = version }
	}
	expectChecks(t, checkCgroup, map[string]checkCase{
		"v2":      {set(2), OK, "2", ""},
		"v1":      {set(1), Warn, "failCgroupV1: false", "systemd.unified_cgroup_hierarchy=1"},
		"unknown": {set(0), Warn, "unknown", "docker info"},
		"unread":  {func(r *Readings) { r.Machine.Err = errBroken }, Warn, "broken", "check it"},
	})
}

func TestCheckDisk(t *testing.T) {
	set := func(free uint64) func(*Readings) { return func(r *Readings) { r.DiskFree.Value = free } }
	expectChecks(t, checkDisk, map[string]checkCase{
		"to build":           {set(DiskToBuild), OK, "15.0 GiB", ""},
		"not quite to build": {set(DiskToBuild - 1), Warn, "14.9 GiB", "free 15.0 GiB if node images have to be built"},
		"to run":             {set(DiskToRun), Warn, "6.0 GiB", "free 15.0 GiB"},
		"not quite to run":   {set(DiskToRun - 1), Fail, "5.9 GiB", "free 6.0 GiB, or 15.0 GiB"},
		"none":               {set(0), Fail, "0.0 GiB", "free 6.0 GiB"},
		"unread":             {func(r *Readings) { r.DiskFree.Err = errBroken }, Warn, "broken", "docker system df"},
	})
	NewWithT(t).Expect(checkDisk(healthy()).Name).To(Equal("free disk in /var/lib/docker"))
}

func TestCheckMemory(t *testing.T) {
	set := func(total uint64) func(*Readings) { return func(r *Readings) { r.Machine.Value.MemoryBytes = total } }
	expectChecks(t, checkMemory, map[string]checkCase{
		"for five nodes":           {set(8 * gib), OK, "8.0 GiB", ""},
		"not quite for five nodes": {set(8*gib - 1), Warn, "7.9 GiB", "give the engine 8.0 GiB"},
		"for three nodes":          {set(6 * gib), Warn, "6.0 GiB", "give the engine 8.0 GiB"},
		"too little":               {set(6*gib - 1), Fail, "5.9 GiB", "give the engine 6.0 GiB, or 8.0 GiB"},
		"unread":                   {func(r *Readings) { r.Machine.Err = errBroken }, Warn, "broken", "check it"},
	})
}

func TestCheckCores(t *testing.T) {
	set := func(cores int) func(*Readings) { return func(r *Readings) { r.Machine.Value.Cores = cores } }
	expectChecks(t, checkCores, map[string]checkCase{
		"enough":  {set(2), OK, "2", ""},
		"too few": {set(1), Fail, "1", "give the engine 2 cores"},
		"unread":  {func(r *Readings) { r.Machine.Err = errBroken }, Warn, "broken", "check it"},
	})
}

func TestCheckInotifyInstances(t *testing.T) {
	set := func(limit int) func(*Readings) { return func(r *Readings) { r.InotifyInstances.Value = limit } }
	const advice = "sudo sysctl fs.inotify.max_user_instances=512"
	expectChecks(t, checkInotifyInstances, map[string]checkCase{
		"for five nodes":           {set(512), OK, "512", ""},
		"not quite for five nodes": {set(511), Warn, "511, little for five nodes", advice},
		"for three nodes":          {set(128), Warn, "128, little for five nodes", advice},
		"too few":                  {set(127), Fail, "127, too few for three nodes", advice},
		"unread":                   {func(r *Readings) { r.InotifyInstances.Err = errBroken }, Warn, "broken", "check it"},
	})
}

func TestCheckInotifyWatches(t *testing.T) {
	set := func(limit int) func(*Readings) { return func(r *Readings) { r.InotifyWatches.Value = limit } }
	expectChecks(t, checkInotifyWatches, map[string]checkCase{
		"for five nodes": {set(8192), OK, "8192", ""},
		"too few":        {set(8191), Warn, "8191, too few for five nodes", "sudo sysctl fs.inotify.max_user_watches=65536"},
		"unread":         {func(r *Readings) { r.InotifyWatches.Err = errBroken }, Warn, "broken", "check it"},
	})
}

func TestCheckOverlay(t *testing.T) {
	expectChecks(t, checkOverlay, map[string]checkCase{
		"present": {func(*Readings) {}, OK, "in the kernel", ""},
		"absent":  {func(r *Readings) { r.Overlay.Value = false }, Warn, "not in /proc/filesystems", "sudo modprobe overlay"},
		"unread":  {func(r *Readings) { r.Overlay.Err = errBroken }, Warn, "broken", "check it"},
	})
}

func TestCheckTools(t *testing.T) {
	expectChecks(t, checkGo, map[string]checkCase{
		"present": {func(*Readings) {}, OK, "go1.26.8", ""},
		"absent":  {func(r *Readings) { r.GoVersion.Err = errBroken }, Warn, "not on PATH", "https://go.dev/doc/install"},
	})
	expectChecks(t, checkMmdebstrap, map[string]checkCase{
		"there":       {func(*Readings) {}, OK, "/usr/bin/mmdebstrap", ""},
		"installable": {func(r *Readings) { r.Mmdebstrap.Err, r.CanInstall = errBroken, true }, OK, "apt-get can do that", ""},
		"absent":      {func(r *Readings) { r.Mmdebstrap.Err = errBroken }, Warn, "not on PATH", "sudo apt-get install mmdebstrap"},
	})
}
