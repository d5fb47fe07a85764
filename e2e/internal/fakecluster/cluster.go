// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package fakecluster is an in-memory cluster with partitionable devices for
// unit tests of specs. It consists of an API server, a scheduler, kubelets and
// a driver. They behave correctly unless a fault is configured.
package fakecluster

import (
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

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
	// NIC is the name of a driver, and of its DeviceClass, that publishes two
	// network interfaces on each node. Claims share these devices. There is no
	// such driver if it is empty.
	NIC string
	// WithoutCDI makes the drivers return no CDI devices, as drivers of network
	// interfaces may.
	WithoutCDI bool
	// Form is the layout of the driver's ResourceSlices.
	Form publish.Form
	// Lag is the time that each component of the cluster takes to react to a
	// change.
	Lag time.Duration
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
	// Kubernetes' own: the condition of unschedulable pods has another reason, and
	// the events are no warnings, name no driver, and name a claim as the pod
	// does.
	OtherWords bool
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
	// Late is how late the scheduler observes which devices there are, and which
	// claims are released.
	Late Lateness
	// PublishesGradually makes a restarted driver publish its devices little by
	// little.
	PublishesGradually bool
	// ResetsGeneration makes a restarted driver publish its pool with a lower
	// generation. The API allows it if no slices of another one are left.
	ResetsGeneration bool
	// RejectsClaims makes the driver report claims that it cannot prepare one by
	// one. Otherwise it fails the whole call. Both are correct.
	RejectsClaims bool
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
	// WithoutAffinity disables sharing affinity in the scheduler.
	WithoutAffinity bool
	// Admit, if set, changes new ResourceSlices before the API server stores
	// them. By default, the API server stores them unchanged.
	Admit func(*resourceapi.ResourceSliceSpec)
	// Mistakes are the faults of the cluster.
	Mistakes Mistakes
	// Unreachable, if set, reports whether the API server refuses connections at
	// present.
	Unreachable func() bool
	// Objects exist in the cluster from the start.
	Objects []runtime.Object
}

// Cluster is a fake cluster. Its components act before most API requests.
type Cluster struct {
	Options
	clientset *fake.Clientset
	tracker   *history

	mu sync.Mutex // held by requests and while the components act
	// changes counts the changes of each resource, so that the scheduler does
	// not evaluate the same objects twice. Updates of pods do not count, because
	// the scheduler itself updates the pods that it finds unschedulable.
	changes map[schema.GroupVersionResource]int
	// since is the time at which each component first noticed a pending action.
	since map[string]time.Time
	// uids counts the created objects.
	uids int
	// restarts counts the restarts of each component.
	restarts map[component]int

	requests  requests
	documents documents
	counters  counters
	// membersSeen are the PodGroups that have had pods, by UID.
	membersSeen map[types.UID]bool
	// lackedTemplate are the pods whose template did not exist when a claim should
	// have been created from it, by UID.
	lackedTemplate map[types.UID]bool
	scheduler      scheduler
	evictor        evictor
	kubelets       kubelets
	// drivers are the driver pods, by node.
	drivers map[string]*Driver
	// stopped are the stopped drivers, by node.
	stopped map[string]*stoppedDriver
	// rest are the ResourceSlices of which drivers have published a part.
	rest []laterSlice
}

// New starts a cluster.
func New(o Options) (*Cluster, error) {
	if o.Driver == "" {
		o.Driver = "mig.example.com"
	}
	o.Nodes, o.GPUs = max(o.Nodes, 1), max(o.GPUs, 1)
	objects, err := initialObjects(o)
	if err != nil {
		return nil, err
	}
	o.Mistakes.mispublish(objects)
	// NewClientset would also maintain managed fields, which is slow and which
	// no spec reads.
	clientset := fake.NewSimpleClientset(objects...)
	clientset.Resources = []*metav1.APIResourceList{{GroupVersion: taintRulesOf.GroupVersion().String(), APIResources: []metav1.APIResource{{Name: taintRulesOf.Resource}}}}
	c := &Cluster{
		Options: o, clientset: clientset, tracker: newHistory(clientset.Tracker()),
		changes: map[schema.GroupVersionResource]int{}, since: map[string]time.Time{}, restarts: map[component]int{},
		documents: documents{}, membersSeen: map[types.UID]bool{}, lackedTemplate: map[types.UID]bool{}, counters: counters{bindings: map[[2]string]int{}}, scheduler: newScheduler(&o), evictor: evictor{readAt: -1}, kubelets: newKubelets(), drivers: map[string]*Driver{}, stopped: map[string]*stoppedDriver{},
	}
	clientset.PrependReactor("*", "*", c.request)
	clientset.PrependReactor("list", "*", c.list)
	clientset.PrependReactor("create", "*", c.create)
	clientset.PrependReactor("delete", "*", c.delete)
	clientset.PrependReactor("update", "resourceclaims", c.updateStatus)
	clientset.PrependReactor("update", "resourceslices", c.updateSlice)
	clientset.PrependReactor("update", "devicetaintrules", c.updateRule)
	clientset.PrependReactor("*", "*", c.record)
	clientset.PrependWatchReactor("*", c.watch)
	clientset.PrependReactor("*", "*", c.refuse)
	return c, nil
}

// Client returns a client of the cluster.
func (c *Cluster) Client() kubernetes.Interface { return client{c.clientset, c} }

// The resources that the cluster uses.
var (
	namespaces = corev1.SchemeGroupVersion.WithResource("namespaces")
	accounts   = corev1.SchemeGroupVersion.WithResource("serviceaccounts")
	pods       = corev1.SchemeGroupVersion.WithResource("pods")
	events     = corev1.SchemeGroupVersion.WithResource("events")
	claims     = schema.GroupVersionResource{Group: "resource.k8s.io", Version: "v1", Resource: "resourceclaims"}
	classesOf  = schema.GroupVersionResource{Group: "resource.k8s.io", Version: "v1", Resource: "deviceclasses"}
	nodesOf    = corev1.SchemeGroupVersion.WithResource("nodes")
	slicesOf   = schema.GroupVersionResource{Group: "resource.k8s.io", Version: "v1", Resource: "resourceslices"}
)

// request lets every component perform its due actions, and then performs the
// request.
func (c *Cluster) request(action clienttesting.Action) (bool, runtime.Object, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.advance()
	isRead := action.GetVerb() == "get" || action.GetVerb() == "list"
	if !isRead && action.GetResource() != pods {
		c.changes[action.GetResource()]++
	}
	return clienttesting.ObjectReaction(c.tracker)(action)
}

// advance lets every component perform its due actions. The caller holds the
// lock.
func (c *Cluster) advance() {
	for _, act := range []func() error{c.removeSlices, c.runJobs, c.removeDeleted, c.unprepareUnused, c.makeGroupClaims, c.makeClaims, c.changeClaims, c.publishRest, c.observeSlices, c.observeLate, c.schedule, c.reserve, c.evictPods, c.startPods, c.reportHealth, c.reportPools} {
		if err := act(); err != nil {
			// An error would look like a fault of the simulated cluster.
			panic(fmt.Sprintf("fake cluster: %v", err))
		}
	}
}

// due reports whether the lag has passed since the first call with these
// arguments.
func (c *Cluster) due(action string, object fmt.Stringer) bool {
	return c.dueAfter(c.Lag, action, object)
}

// dueAfter is due with another time than the lag.
func (c *Cluster) dueAfter(delay time.Duration, action string, object fmt.Stringer) bool {
	key := action + " " + object.String()
	if _, ok := c.since[key]; !ok {
		c.since[key] = time.Now()
	}
	return time.Since(c.since[key]) >= delay
}
