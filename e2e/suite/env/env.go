// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package env has the environment of a spec: the cluster, the namespace, the
// drivers and the limits of waits.
package env

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// Env is the environment of a spec: a cluster, a namespace for the spec or for
// all specs of the run, and the drivers.
type Env struct {
	Client    kubernetes.Interface
	Namespace string
	// As returns a client that acts as another user, by impersonation.
	As       func(User) (kubernetes.Interface, error)
	Subject  subject.Subject
	Timeouts Timeouts

	// Node is the only node that pods of the spec may run on, except for simulated
	// ones, because others are in use by specs that restart them. Empty means all.
	Node string
	// Nodes, ControlPlane, Metrics, Drivers and Versions perform operations that the
	// API does not offer (see [Target]). They are nil if the run must not do so.
	Nodes        operations.Nodes
	ControlPlane operations.ControlPlane
	Metrics      operations.Metrics
	Drivers      operations.Drivers
	Versions     operations.Versions
	// Classic is a driver of classic DRA (KEP-3063). It is nil if the run has none.
	Classic operations.ClassicDriver
	// ClassicControllers starts controllers of classic DRA. It is nil if the run cannot.
	ClassicControllers operations.ClassicControllers
	// Agent calls drivers as the kubelet does. It is nil unless the run has node
	// agents.
	Agent operations.NodeAgent
	// Workload is the image of the pods' container.
	Workload string
	// Scheduler is the name of the pods' scheduler. Empty means the default
	// scheduler.
	Scheduler string
	// ForeignScheduler is that of [Target].
	ForeignScheduler bool
	// Labels are set on all objects that the spec creates.
	Labels map[string]string
	// Guest describes the run if it is one among other workloads. It is nil if
	// the namespace belongs to the spec.
	Guest *Guest
	// Sees is what containers must see of the devices for the spec to assert
	// anything.
	Sees subject.Visibility
	// Started is the time at which the spec began.
	Started time.Time
	// Findings has what earlier specs found out about the capabilities of
	// drivers.
	Findings Findings
	// FreeNodes has a node that had the needed devices when the spec began, by
	// driver. It is empty if the spec need not care about neighbours.
	FreeNodes map[string]string
	// Unique is a name that no other spec and no other run uses. Empty means the
	// namespace.
	Unique string
	// KeepsNamespace states that the namespaces of the spec stay until the cluster is
	// removed after the run. Only what a namespace contains is removed before.
	KeepsNamespace bool
	// ArtifactsDir is the folder for the dump of a failed spec.
	ArtifactsDir string

	// SimulatedDrivers are the drivers of the spec's simulated nodes. There are
	// none if the spec has created no such nodes.
	SimulatedDrivers []string
	// ClassicDrivers are the drivers of classic DRA that the spec has started.
	ClassicDrivers []string
	// PlacePod, if set, restricts a new pod to the spec's simulated nodes.
	PlacePod func(*corev1.Pod)
	// DeviceClasses lists the DeviceClasses that are deleted at the end of the
	// spec.
	DeviceClasses []string
	// Cleanups are called at the end of the spec, after its pods, claims and
	// DeviceClasses are removed.
	Cleanups []func(context.Context) error
	// ForReasons is the time for requests about the reasons of failures.
	ForReasons *Allowance
	// LeftToKubelet is set if the spec leaves its pods to the kubelet, so that
	// waits do not trigger the kubelet's sync.
	LeftToKubelet bool
	// NotApplicable ends the spec, which does not apply to the cluster or the
	// driver, with a reason. It does not return.
	NotApplicable func(reason string)
	// NotFinished ends the spec, about which nothing is known, because the machine that
	// runs it lacks something. It does not return.
	NotFinished func(reason string)
	// Pods are the pods that the spec has created and not deleted, with their UIDs. It is nil
	// if that does not matter.
	Pods map[types.NamespacedName]types.UID
	// Excuses return why a failure of the spec says nothing about what it tests, or an empty
	// text.
	Excuses []func(context.Context) string
	// OnDelete, if set, is called for each object that the spec deletes. The
	// kind is that of the API.
	OnDelete func(kind, name string)
}

// User is a user whom a client acts as.
type User struct {
	// Name is the name as the API server knows it, such as
	// system:serviceaccount:namespace:name.
	Name string
	// Groups are the groups of the user. Those of a service account are known to the API
	// server.
	Groups []string
	// Extra has further properties, such as the node of a service account.
	Extra map[string][]string
}

// CreatedPod records that the spec has created a pod.
func (e *Env) CreatedPod(pod metav1.Object) {
	if e.Pods != nil {
		e.Pods[types.NamespacedName{Namespace: e.Namespace, Name: pod.GetName()}] = pod.GetUID()
	}
}

// Deleted records that the spec has deleted an object, and calls OnDelete, if it is set.
func (e *Env) Deleted(kind, name string) {
	if kind == "Pod" {
		delete(e.Pods, types.NamespacedName{Namespace: e.Namespace, Name: name})
	}
	if e.OnDelete != nil {
		e.OnDelete(kind, name)
	}
}

// DriverNames returns the names of the subject's drivers and of the drivers of
// the spec's simulated nodes.
func (e *Env) DriverNames() []string {
	return slices.Concat(e.Subject.Drivers(), e.SimulatedDrivers)
}
