// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"fmt"
	"slices"

	"golang.org/x/mod/semver"
	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/clusters/skew"
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// Target describes the cluster and the drivers that specs run against.
type Target struct {
	// Found has the features of the cluster.
	Found features.Set
	// Release is the release of the API server, such as v1.37.1.
	Release string
	// Scheduler and Kubelet are the releases of the scheduler of the specs'
	// pods and of the oldest kubelet. They are empty if unknown.
	Scheduler, Kubelet string
	// ForeignScheduler is set if the scheduler of the specs' pods may have other criteria
	// for choosing a node than kube-scheduler and the bundled scheduler.
	ForeignScheduler bool
	// Workers is the number of worker nodes of the cluster.
	Workers int
	// Subject describes the drivers.
	Subject subject.Subject
	// Nodes restarts nodes and kubelets. It is nil if the run must not do so.
	Nodes operations.Nodes
	// ControlPlane restarts the scheduler of the specs' pods. It is nil if the
	// run must not do so.
	ControlPlane operations.ControlPlane
	// Metrics reads the metrics of the control plane. It is nil if the run cannot.
	Metrics operations.Metrics
	// Drivers performs operations on the drivers. It is nil if none is possible.
	Drivers operations.Drivers
	// Versions changes the version of drivers. It is nil if they are not the
	// suite's fake drivers.
	Versions operations.Versions
	// Classic is a driver of classic DRA (KEP-3063), whose controller can be
	// stopped and started. It is nil if the run cannot install it.
	Classic operations.ClassicDriver
	// ClassicControllers starts controllers of classic DRA. It is nil if the run cannot.
	ClassicControllers operations.ClassicControllers
	// DeviceClasses is set if specs may create DeviceClasses.
	DeviceClasses bool
	// Agent calls drivers on nodes as the kubelet does. It is nil unless the run
	// has node agents.
	Agent operations.NodeAgent
	// SimulatedNodes is set if specs may create simulated nodes.
	SimulatedNodes bool
	// OnlySimulatedNodes states why the cluster never has nodes that run
	// containers. It is empty if it has some, or can have some.
	OnlySimulatedNodes string
	// GivenNamespace is set if the specs' namespace existed before the run.
	GivenNamespace bool
	// Usable has the number of nodes with devices of a driver that its pods can
	// run on, by driver. It is nil if the pods can run on all worker nodes.
	Usable map[string]int
	// UnusablePool describes a pool that is available on all nodes and is
	// incomplete or invalid, so that schedulers do not allocate from it. It is
	// empty if there is none.
	UnusablePool string
	// Changer changes the components of the cluster. It is nil if the run must
	// not do so.
	Changer operations.Changer
	// State describes the running components, if Changer is set.
	State skew.State
}

// Schedulable reports whether a pod without tolerations can be scheduled to a
// node.
func Schedulable(node *corev1.Node) bool {
	return !node.Spec.Unschedulable && !slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool { return keepsOff(&t) })
}

// TooFewNodes states why a cluster has fewer nodes than a spec needs for kinds of
// devices. It is empty if it has enough.
func (t Target) TooFewNodes(needed int, kinds []subject.Kind) string {
	drivers := t.Subject.Only(kinds).Drivers()
	if t.Workers < needed && (t.Usable == nil || len(drivers) == 0) {
		return fmt.Sprintf("needs %d worker nodes, the cluster has %d", needed, t.Workers)
	}
	if t.Usable == nil {
		return ""
	}
	for _, driver := range drivers {
		if usable := t.Usable[driver]; usable < needed {
			return fmt.Sprintf("needs %d nodes with devices of driver %s that pods can run on, the cluster has %d", needed, driver, usable)
		}
	}
	return ""
}

// TooOld returns a message if the API server or the tested component is older
// than the first release with a behaviour, or an empty string. The components
// of a cluster may have different releases, and each behaves as its own release
// specifies.
func (t Target) TooOld(since string, component Component) string {
	if since == "" {
		return ""
	}
	for _, part := range []struct {
		name, release string
		relevant      bool
	}{
		{"the API server", t.Release, true},
		{"the scheduler", t.Scheduler, t.Scheduler != "" && component == Scheduler},
		{"a kubelet", t.Kubelet, t.Kubelet != "" && (component == Kubelet || component == Driver)},
	} {
		if part.relevant && semver.Compare(semver.MajorMinor(part.release), "v"+since) < 0 {
			return fmt.Sprintf("needs Kubernetes %s or newer, %s is %s", since, part.name, part.release)
		}
	}
	return ""
}
