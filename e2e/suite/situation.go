package suite

import (
	"context"
	"fmt"
	"slices"

	"golang.org/x/mod/semver"
	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/clusters/change"
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/fakedriver/calls"
	"github.com/draconform/draconform/fakedriver/control"
)

// Situation is what specs find.
type Situation struct {
	// Found are the cluster's features.
	Found features.Set
	// Release of the API server, such as v1.37.1.
	Release string
	// Scheduler and Kubelet are the releases of the scheduler of the specs' pods
	// and of the oldest kubelet; empty if not known.
	Scheduler, Kubelet string
	// Workers is the number of the cluster's worker nodes.
	Workers int
	// Subject are the drivers.
	Subject subject.Subject
	// Nodes reaches the cluster's nodes; nil where a run must not.
	Nodes Nodes
	// ControlPlane reaches what schedules the specs' pods; nil where a run must
	// not.
	ControlPlane ControlPlane
	// Drivers steers the drivers; nil if they are not the suite's own.
	Drivers Drivers
	// Versions changes the version of drivers; nil if they are not the suite's
	// own.
	Versions Versions
	// Stages says that specs may create nodes that are simulated.
	Stages bool
	// WrongPool says which pool of all nodes nothing is allocated from, and why;
	// empty if there is none.
	WrongPool string
	// Changer changes what the cluster runs; nil where a run must not.
	Changer Changer
	// State is what the cluster runs, if Changer is set.
	State change.State
}

// Nodes does to nodes what no API does.
type Nodes interface {
	// RestartKubelet kills a node's kubelet and returns when the next one
	// answers.
	RestartKubelet(ctx context.Context, node string) error
	// RestartNode stops a node without warning and returns when its kubelet
	// answers again.
	RestartNode(ctx context.Context, node string) error
}

// ControlPlane does to the cluster's own parts what no API does.
type ControlPlane interface {
	// RestartScheduler ends the cluster's scheduler and returns when the next one
	// leads.
	RestartScheduler(ctx context.Context) error
}

// Drivers does to drivers what no API does.
type Drivers interface {
	// Control steers the pod of a driver on a node.
	Control(ctx context.Context, driver, node string) (Driver, error)
	// Update replaces a driver's pods as a new version would, and returns when
	// the new ones are ready.
	Update(ctx context.Context, driver string) error
	// Stop takes a driver off a node, as if it had never been there, and returns
	// when its process has ended. What it has prepared stays.
	Stop(ctx context.Context, driver, node string) error
	// Start lets a driver run again on a node that Stop took it off, and does not
	// wait for it.
	Start(ctx context.Context, driver, node string) error
}

// Driver is a driver's pod, as far as specs steer it; [control.Client] says what
// the methods do.
type Driver interface {
	Status(ctx context.Context, driver string) (control.Status, error)
	Exit(ctx context.Context) error
	Inject(ctx context.Context, driver string, fault calls.Fault) error
	Release(ctx context.Context, driver string) error
	Calls(ctx context.Context, driver string, after int) ([]calls.Call, error)
	Publish(ctx context.Context, driver string, published control.Published) (control.Status, error)
}

// Need is what a spec must be able to do beside using the API.
type Need string

// The needs of specs.
const (
	// NeedsNodes is met by Situation.Nodes.
	NeedsNodes Need = "nodes"
	// NeedsScheduler is met by Situation.ControlPlane.
	NeedsScheduler Need = "scheduler"
	// NeedsDrivers is met by Situation.Drivers.
	NeedsDrivers Need = "drivers"
	// NeedsVersions is met by Situation.Versions.
	NeedsVersions Need = "versions"
	// NeedsClasses is met by Situation.Drivers: in a cluster with drivers of
	// others, a run creates nothing outside of its namespaces.
	NeedsClasses Need = "classes"
	// NeedsStage is met by Situation.Stages: Node objects without a machine may
	// confuse what manages the nodes of somebody's cluster.
	NeedsStage Need = "stage"
	// NeedsWholePools is met if Situation.WrongPool is empty: with a pool that is
	// incomplete or wrong, a scheduler gives nothing to a request for all devices,
	// whichever driver has the pool.
	NeedsWholePools Need = "whole-pools"
)

// Schedulable reports whether a pod without tolerations can be scheduled to a node.
func Schedulable(node *corev1.Node) bool {
	return !node.Spec.Unschedulable && !slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool {
		return t.Effect == corev1.TaintEffectNoSchedule || t.Effect == corev1.TaintEffectNoExecute
	})
}

// tooOld says that the API server, or what a spec judges, is older than the
// release since when it is promised, or nothing. Components may be of different
// releases, and an older one keeps the promises of its own.
func (s Situation) tooOld(since string, judges Judged) string {
	if since == "" {
		return ""
	}
	for _, part := range []struct {
		name, release string
		judged        bool
	}{
		{"the API server", s.Release, true},
		{"the scheduler", s.Scheduler, s.Scheduler != "" && judges == JudgesScheduler},
		{"a kubelet", s.Kubelet, s.Kubelet != "" && (judges == JudgesKubelet || judges == JudgesDriver)},
	} {
		if part.judged && semver.Compare(semver.MajorMinor(part.release), "v"+since) < 0 {
			return fmt.Sprintf("is promised since Kubernetes %s, %s is %s", since, part.name, part.release)
		}
	}
	return ""
}

// lacks says why a need is not met, or nothing.
func (s Situation) lacks(need Need) string {
	switch {
	case need == NeedsNodes && s.Nodes == nil:
		return "needs to restart nodes, which only a cluster of the run's own allows"
	case need == NeedsScheduler && s.ControlPlane == nil:
		return "needs to restart the pods' scheduler, which only that of a cluster of the run's own allows"
	case need == NeedsDrivers && s.Drivers == nil:
		return "needs to steer the driver, which only the suite's own drivers allow"
	case need == NeedsVersions && s.Versions == nil:
		return "needs to change the driver's version, which only the suite's own drivers allow"
	case need == NeedsClasses && s.Drivers == nil:
		return "needs to create device classes, which only the suite's own drivers allow"
	case need == NeedsStage && !s.Stages:
		return "needs nodes that are simulated, which a cluster that is not the run's own gets with --simulate-nodes only"
	case need == NeedsWholePools && s.WrongPool != "":
		return "needs all pools that nodes have in common to be complete and valid; " + s.WrongPool
	case !slices.Contains([]Need{NeedsNodes, NeedsScheduler, NeedsDrivers, NeedsVersions, NeedsClasses, NeedsStage, NeedsWholePools}, need):
		return fmt.Sprintf("needs %q, which is not known", need)
	}
	return ""
}
