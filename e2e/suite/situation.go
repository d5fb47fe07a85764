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

// Situation describes the cluster and the drivers that specs run against.
type Situation struct {
	// Found has the features of the cluster.
	Found features.Set
	// Release is the release of the API server, such as v1.37.1.
	Release string
	// Scheduler and Kubelet are the releases of the scheduler of the specs'
	// pods and of the oldest kubelet. They are empty if unknown.
	Scheduler, Kubelet string
	// Workers is the number of worker nodes of the cluster.
	Workers int
	// Subject describes the drivers.
	Subject subject.Subject
	// Nodes restarts nodes and kubelets. It is nil if the run must not do so.
	Nodes Nodes
	// ControlPlane restarts the scheduler of the specs' pods. It is nil if the
	// run must not do so.
	ControlPlane ControlPlane
	// Drivers controls the drivers. It is nil if they are not the suite's fake
	// drivers.
	Drivers Drivers
	// Versions changes the version of drivers. It is nil if they are not the
	// suite's fake drivers.
	Versions Versions
	// Stages is set if specs may create simulated nodes.
	Stages bool
	// WrongPool describes a pool with devices for all nodes that is incomplete
	// or invalid, so that schedulers do not allocate from it. It is empty if
	// there is none.
	WrongPool string
	// Changer changes the components of the cluster. It is nil if the run must
	// not do so.
	Changer Changer
	// State describes the running components, if Changer is set.
	State change.State
}

// Nodes performs operations on nodes that the API does not offer.
type Nodes interface {
	// RestartKubelet kills a node's kubelet and returns when the next one
	// answers.
	RestartKubelet(ctx context.Context, node string) error
	// RestartNode stops a node without a graceful shutdown and returns when its
	// kubelet answers again.
	RestartNode(ctx context.Context, node string) error
}

// ControlPlane performs operations on the control plane that the API does not
// offer.
type ControlPlane interface {
	// RestartScheduler ends the cluster's scheduler and returns when the next
	// process is the leader.
	RestartScheduler(ctx context.Context) error
}

// Drivers performs operations on drivers that the API does not offer.
type Drivers interface {
	// Control returns the control endpoint of the driver's pod on a node.
	Control(ctx context.Context, driver, node string) (Driver, error)
	// Update replaces a driver's pods as an update would, and returns when the
	// new pods are ready.
	Update(ctx context.Context, driver string) error
	// Stop removes a driver from a node and returns when its process has ended.
	// The claims that it has prepared stay prepared.
	Stop(ctx context.Context, driver, node string) error
	// Start starts a driver again on a node from which Stop removed it. It does
	// not wait until the driver is ready.
	Start(ctx context.Context, driver, node string) error
}

// Driver is the control endpoint of a driver's pod. [control.Client] documents
// the methods.
type Driver interface {
	Status(ctx context.Context, driver string) (control.Status, error)
	Exit(ctx context.Context) error
	Inject(ctx context.Context, driver string, fault calls.Fault) error
	Release(ctx context.Context, driver string) error
	Calls(ctx context.Context, driver string, after int) ([]calls.Call, error)
	Publish(ctx context.Context, driver string, published control.Published) (control.Status, error)
}

// Need is something that a spec needs in addition to the API.
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
	// NeedsClasses is met by Situation.Drivers. In a cluster with third-party
	// drivers, a run creates nothing outside of its namespaces.
	NeedsClasses Need = "classes"
	// NeedsStage is met by Situation.Stages. Node objects without a machine may
	// disturb components that manage the nodes of a user's cluster.
	NeedsStage Need = "stage"
	// NeedsWholePools is met if Situation.WrongPool is empty. With an
	// incomplete or invalid pool of any driver, a scheduler cannot allocate a
	// request with allocationMode All.
	NeedsWholePools Need = "whole-pools"
)

// Schedulable reports whether a pod without tolerations can be scheduled to a
// node.
func Schedulable(node *corev1.Node) bool {
	return !node.Spec.Unschedulable && !slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool {
		return t.Effect == corev1.TaintEffectNoSchedule || t.Effect == corev1.TaintEffectNoExecute
	})
}

// tooOld returns a message if the API server or the judged component is older
// than the first release with a behaviour, or an empty string. The components
// of a cluster may have different releases, and each behaves as its own release
// specifies.
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

// lacks returns why a need is not met, or an empty string.
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
