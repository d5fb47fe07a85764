// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package skew

import (
	"fmt"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/gates"
)

// Schedulers of a cluster.
const (
	// KubeScheduler is the release's own scheduler.
	KubeScheduler = "kube-scheduler"
	// DraconformScheduler is the scheduler in allocator/scheduler. It replaces
	// the release's own scheduler and uses its flags and permissions.
	DraconformScheduler = "draconform"
)

// SchedulerVersion is the Kubernetes release that draconform's scheduler is built
// from.
const SchedulerVersion = "v1.37.2"

// CheckScheduler returns an error if a cluster with this release and these
// gates cannot run the scheduler. The scheduler of draconform emulates releases
// older than the one that it is built from, but it reads their APIs in its own
// versions.
func CheckScheduler(name string, release clusters.Release, set gates.Set) error {
	switch name {
	case KubeScheduler:
		return nil
	case DraconformScheduler:
	default:
		return fmt.Errorf("scheduler %q is not known, use %s or %s", name, KubeScheduler, DraconformScheduler)
	}
	built := SchedulerMinor()
	if release.Minor != built && release.AtLeast(built) {
		return fmt.Errorf("scheduler %s is built from Kubernetes %s and cannot schedule for the newer %s: use %s", name, built, release, KubeScheduler)
	}
	if clusters.IsLegacy(release.Minor) {
		return fmt.Errorf("scheduler %s cannot schedule for the legacy release %s: it does not know its version of the DRA API and cannot wait for control plane controllers of drivers, as classic DRA needs; use %s",
			name, release, KubeScheduler)
	}
	if moved := set.MovedAPIs(built); len(moved) > 0 {
		return fmt.Errorf("scheduler %s is built from Kubernetes %s and cannot schedule for %s with the feature gates %s: it does not know their APIs as %s serves them; disable them or use %s",
			name, built, release, strings.Join(moved, ", "), release, KubeScheduler)
	}
	return nil
}

// SchedulerMinor returns the minor release that draconform's scheduler is built from,
// for example 1.37.
func SchedulerMinor() string {
	return strings.TrimPrefix(semver.MajorMinor(SchedulerVersion), "v")
}
