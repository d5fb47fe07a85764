// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/draconform/draconform/allocator"
	"github.com/draconform/draconform/e2e/internal/allocation"
	"github.com/draconform/draconform/fakedriver/publish"
)

// Options configure a cluster. The zero value is one node with one GPU, whose
// components react immediately and have no faults.
type Options struct {
	// Driver is the name of the driver and of its DeviceClass. Default:
	// mig.example.com.
	Driver string
	// Nodes is the number of worker nodes. Zero means 1.
	Nodes int
	// GPUs is the number of A100 GPUs of each node. Zero means 1.
	GPUs int
	// WithoutPartitions replaces the A100 GPUs by L4 GPUs, which cannot be
	// partitioned.
	WithoutPartitions bool
	// TPU is the name of a driver, and of its DeviceClass, that publishes the
	// topology 4x4 over the first four nodes. There is no such driver if it is
	// empty.
	TPU string
	// TaintsWithdrawn makes that driver taint the devices that span a withdrawn node, and
	// publish them with a new generation. Otherwise they select no node, and the generation
	// stays, as it does with the library that drivers publish with.
	TaintsWithdrawn bool
	// NIC is the name of a driver, and of its DeviceClass, that publishes two
	// network interfaces on each node. Claims share these devices. There is no
	// such driver if it is empty.
	NIC string
	// WithoutCDI makes the drivers return no CDI devices, as drivers of network
	// interfaces may.
	WithoutCDI bool
	// WithoutShareIDs makes the drivers return no IDs of shares, which they need not do.
	WithoutShareIDs bool
	// Form is the layout of the driver's ResourceSlices.
	Form publish.Form
	// Lag is the time that each component of the cluster takes to react to a
	// change.
	Lag time.Duration
	// ReleasesTogether makes the scheduler deallocate all claims of a pod if a device of one of
	// them has failed, so that it can choose another node.
	ReleasesTogether bool
	// LooksAgain makes kubelets start a pod at its second sync, which an update
	// of the pod triggers. The first sync can happen before the kubelet is
	// authorized to read the pod's claims. Without an update, the next sync
	// follows only after a minute or more.
	LooksAgain bool
	// SyncPeriod is the time after which kubelets prepare or unprepare the claims
	// of a pod again if that failed, even if the pod is updated earlier. Zero
	// means that they do so at once.
	SyncPeriod time.Duration
	// OtherWords makes the scheduler and the kubelets report in another way than
	// Kubernetes' own: the condition of unschedulable pods has another reason, that of
	// pods that could not be bound has the reason Unschedulable, and the events are no
	// warnings, name no driver, and name a claim as the pod does.
	OtherWords bool
	// ForeignScheduler states that specs do not know the scheduler.
	ForeignScheduler bool
	// WithoutPreemption makes the scheduler evict no pods for others of a higher
	// priority.
	WithoutPreemption bool
	// FailsForPools makes the scheduler report an error about a pod that fits no node, if
	// a pool is invalid.
	FailsForPools bool
	// Stumbles makes the first start of each container fail.
	Stumbles bool
	// BacksOff makes kubelets wait before they restart a container again: 10 seconds,
	// and twice as long each time.
	BacksOff bool
	// LastFit makes the scheduler prefer the last devices of a slice and the
	// last node. This is as correct as preferring the first.
	LastFit bool
	// OtherCriteria makes the scheduler ignore its preferences among nodes for each
	// fourth pod, as if another criterion outweighed them.
	OtherCriteria bool
	// ShufflesSlices makes the scheduler observe each second new ResourceSlice
	// later than the others.
	ShufflesSlices bool
	// ReversesResults makes the scheduler list the devices of an allocation in reverse
	// order. The API states none.
	ReversesResults bool
	// Late is how late the scheduler observes which devices there are, and which
	// claims are released, and how late kube-controller-manager releases them.
	Late Lateness
	// PublishesGradually makes a restarted driver publish its devices little by
	// little.
	PublishesGradually bool
	// ChangesPools makes each list of the ResourceSlices of a driver show the pool of another
	// node in the middle of a change, as in a cluster with so many nodes that some pool always
	// is.
	ChangesPools bool
	// ChangesAttributes makes the drivers publish and describe an attribute of devices that
	// has another value each time, such as a temperature.
	ChangesAttributes bool
	// ResetsGeneration makes a restarted driver publish its pool with a lower
	// generation. The API allows it if no slices of another one are left.
	ResetsGeneration bool
	// RejectsClaims makes the driver report claims that it cannot prepare one by
	// one. Otherwise it fails the whole call. Both are correct.
	RejectsClaims bool
	// RenamesCDI makes the drivers give the CDI devices of a claim other names each time
	// that it is prepared after it was unprepared.
	RenamesCDI bool
	// RejectsTogether makes the drivers report an error for each claim of a call, if they
	// cannot prepare one of them, with RejectsClaims.
	RejectsTogether bool
	// TakesAllParameters makes the drivers prepare claims with parameters that they do not know.
	TakesAllParameters bool
	// RefusesAdminAccess makes the drivers prepare no claim with admin access.
	RefusesAdminAccess bool
	// LosesAnswers makes each second answer of a driver to a request for a fault get
	// lost, the first one included.
	LosesAnswers bool
	// SkipsNodeOperations has the operations that kubelets skip for the devices
	// of the driver (KEP-5945).
	SkipsNodeOperations []resourceapi.SkipNodeOperation
	// WithoutHealth is set if the drivers do not report the health of devices.
	WithoutHealth bool
	// WithoutStatus is set if the drivers do not report the status of devices in
	// their claims.
	WithoutStatus bool
	// WithoutMetadata is set if the drivers provide no device metadata files.
	WithoutMetadata bool
	// Allocator starts the allocator of the scheduler. Default: allocation.Bundled.
	Allocator func(allocator.Config) (allocation.Index, error)
	// WithoutNodeRights: the API server has no node authorizer, so that kubelets have no rights.
	WithoutNodeRights bool
	// WithoutImpersonation: the user of the suite may not act as a kubelet.
	WithoutImpersonation bool
	// WithoutAffinity disables sharing affinity in the scheduler.
	WithoutAffinity bool
	// Admit, if set, changes new ResourceSlices before the API server stores
	// them. By default, the API server stores them unchanged.
	Admit func(*resourceapi.ResourceSliceSpec)
	// AdmitPods, if set, changes new pods before the API server stores them, as a webhook or
	// an admission plugin does.
	AdmitPods func(*corev1.Pod)
	// Denies, if set, returns the error of a webhook that does not admit a new object.
	Denies func(runtime.Object) error
	// LabelsObjects makes a controller label objects at times of its own, so that every other
	// update of each of them is in conflict.
	LabelsObjects bool
	// RemovesNodes makes the controller of a cloud delete the nodes that it has no machine for
	// before their first pod is created: all simulated ones.
	RemovesNodes bool
	// SuspendsJobs suspends new jobs, as a webhook of a queue does.
	SuspendsJobs bool
	// InjectsProxies makes a webhook add a container to each pod. It has failed once when the
	// others run, and never ends.
	InjectsProxies bool
	// Mistakes are the faults of the cluster.
	Mistakes Mistakes
	// Unreachable, if set, reports whether the API server refuses connections at
	// present.
	Unreachable func() bool
	// Objects exist in the cluster from the start.
	Objects []runtime.Object
}
