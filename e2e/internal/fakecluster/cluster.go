// Package fakecluster is an in-memory cluster with partitionable devices for
// unit tests of specs. It consists of an API server, a scheduler, kubelets and
// a driver. They behave correctly unless a fault is configured.
package fakecluster

import (
	"fmt"
	"slices"
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

	"github.com/draconform/draconform/fakedriver/model"
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
	// Stumbles makes the first start of each container fail.
	Stumbles bool
	// LastFit makes the scheduler prefer the last devices. This is as correct
	// as preferring the first.
	LastFit bool
	// Bundled makes the scheduler use the bundled allocator for all pods
	// instead of only for those on simulated nodes. The faults of the
	// scheduler's own search for devices have no effect then.
	Bundled bool
	// WithoutAffinity disables sharing affinity in the bundled allocator.
	WithoutAffinity bool
	// Admit, if set, changes new ResourceSlices before the API server stores
	// them. By default, the API server stores them unchanged.
	Admit func(*resourceapi.ResourceSliceSpec)
	// Mistakes are the faults of the cluster.
	Mistakes Mistakes
	// Objects exist in the cluster from the start.
	Objects []runtime.Object
}

// Cluster is a fake cluster. Its components act before each API request.
type Cluster struct {
	Options
	clientset *fake.Clientset
	matches   matcher

	mu sync.Mutex // held while the components act
	// since is the time at which each component first noticed a pending action.
	since map[string]time.Time
	// changes counts the changes that can affect whether a pod fits.
	changes int
	// refusedAt is the value of changes at which a pod for simulated nodes was
	// last unschedulable, by the UID of the pod.
	refusedAt map[types.UID]int
	// uids counts the created objects.
	uids int
	// remembered are the devices of deleted claims. A scheduler with the fault
	// KeepsCounters never deallocates them.
	remembered []holding
	// unknown are the shared devices with an unknown affinity value. They
	// accept no further claims until they are drained.
	unknown map[holding]bool
	// restarts counts the restarts of each component.
	restarts map[restartable]int
	// drivers are the driver pods, by node.
	drivers map[string]*Driver
	// absent are the stopped drivers, by node.
	absent map[string]*absence
	// known are the claims that kubelets have prepared and not yet unprepared.
	known map[use]bool
	// unsure are the claims for which a restarted kubelet does not know whether
	// they are still prepared.
	unsure map[use]bool
	// tried counts the failed starts of a pod.
	tried map[types.UID]int
}

// New starts a cluster.
func New(o Options) (*Cluster, error) {
	if o.Driver == "" {
		o.Driver = "mig.example.com"
	}
	o.Nodes, o.GPUs = max(o.Nodes, 1), max(o.GPUs, 1)
	name := "a100-40gb"
	if o.WithoutPartitions {
		name = "l4"
	}
	gpu, err := model.Load(name)
	if err != nil {
		return nil, err
	}
	objects := append(slices.Clip(o.Objects), classOf(o.Driver))
	for i := range o.Nodes {
		node := nodeName(i)
		objects = append(objects, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: node, Labels: map[string]string{corev1.LabelHostname: node}}})
		for _, slice := range publish.NodeObjects(o.Driver, node, publish.Slices(gpu.Inventory(node, o.GPUs), o.Form)) {
			objects = append(objects, slice)
		}
	}
	if o.TPU != "" {
		more, err := multiHost(o.TPU)
		if err != nil {
			return nil, err
		}
		objects = append(objects, more...)
	}
	if o.NIC != "" {
		more, err := networkInterfaces(o.NIC, o.Nodes)
		if err != nil {
			return nil, err
		}
		objects = append(objects, more...)
	}
	c := &Cluster{Options: o, clientset: fake.NewClientset(objects...), matches: newMatcher(), since: map[string]time.Time{}, restarts: map[restartable]int{}, drivers: map[string]*Driver{}, absent: map[string]*absence{}, known: map[use]bool{}, unsure: map[use]bool{}, tried: map[types.UID]int{}, refusedAt: map[types.UID]int{}, unknown: map[holding]bool{}}
	c.clientset.PrependReactor("*", "*", c.move)
	c.clientset.PrependReactor("list", "*", c.list)
	c.clientset.PrependReactor("create", "*", c.create)
	c.clientset.PrependReactor("delete", "*", c.delete)
	c.clientset.PrependReactor("update", "resourceclaims", c.refuseStatus)
	return c, nil
}

// classOf returns the DeviceClass that selects all devices of a driver.
func classOf(driver string) *resourceapi.DeviceClass {
	return &resourceapi.DeviceClass{
		ObjectMeta: metav1.ObjectMeta{Name: driver},
		Spec: resourceapi.DeviceClassSpec{Selectors: []resourceapi.DeviceSelector{
			{CEL: &resourceapi.CELDeviceSelector{Expression: fmt.Sprintf("device.driver == %q", driver)}},
		}},
	}
}

func nodeName(i int) string { return fmt.Sprintf("node-%d", i+1) }

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

// move lets every component perform its due actions. It is called before each
// request and does not handle the request.
func (c *Cluster) move(action clienttesting.Action) (bool, runtime.Object, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.advance()
	// The request takes effect after this call.
	if !isRead(action) && slices.Contains(decidedBy, action.GetResource()) {
		c.changes++
	}
	return false, nil, nil
}

// hasChanged counts a created object a second time. A concurrent request may
// have let the scheduler run between move and the creation.
func (c *Cluster) hasChanged(action clienttesting.Action) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if slices.Contains(decidedBy, action.GetResource()) {
		c.changes++
	}
}

// advance lets every component perform its due actions. The caller holds the
// lock.
func (c *Cluster) advance() {
	for _, part := range []func() error{c.wipe, c.removeDeleted, c.giveBack, c.makeClaims, c.schedule, c.reserve, c.startPods} {
		if err := part(); err != nil {
			// An error would look like a fault of the simulated cluster.
			panic(fmt.Sprintf("fake cluster: %v", err))
		}
	}
}

// decidedBy are the resources, in addition to claims and pods, that affect
// whether a pod fits.
var decidedBy = []schema.GroupVersionResource{slicesOf, classesOf, nodesOf}

func isRead(action clienttesting.Action) bool {
	return slices.Contains([]string{"get", "list", "watch"}, action.GetVerb())
}

// due reports whether the lag has passed since the first call with these
// arguments.
func (c *Cluster) due(what string, about fmt.Stringer) bool {
	key := what + " " + about.String()
	if _, ok := c.since[key]; !ok {
		c.since[key] = time.Now()
	}
	return time.Since(c.since[key]) >= c.Lag
}
