// Package fakecluster plays a cluster with partitionable devices for tests of
// specs: an API server, a scheduler, kubelets and a driver that do their job
// right, unless they are told which mistake to make.
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

// Options describe a cluster. The zero value is one node with one GPU, whose
// parts react at once and make no mistake.
type Options struct {
	// Driver is the name of the driver and of its class. Default:
	// mig.example.com.
	Driver string
	// Nodes is the number of worker nodes. Zero means 1.
	Nodes int
	// GPUs is the number of A100s of each node. Zero means 1.
	GPUs int
	// WithoutPartitions makes them L4s, which cannot be partitioned.
	WithoutPartitions bool
	// TPU is the name of a driver, and of its class, that has the topology 4x4
	// over the first four nodes. Empty means that there is none.
	TPU string
	// NIC is the name of a driver, and of its class, that has two network
	// interfaces on each node, which claims share. Empty means that there is none.
	NIC string
	// Form is how the driver lays out its slices.
	Form publish.Form
	// Lag is how long each part of the cluster takes to react to a change.
	Lag time.Duration
	// LooksAgain makes kubelets start pods at the second look, which they have when
	// a pod changes: the first may come before they may read its claims, and
	// without a change they have another one only after a minute or more.
	LooksAgain bool
	// Stumbles makes container runtimes fail to start each container at first.
	Stumbles bool
	// LastFit makes the scheduler prefer the last devices, which is as right
	// as preferring the first.
	LastFit bool
	// Bundled makes the scheduler decide about all pods with the bundled
	// allocator, and not only about those for simulated nodes. Mistakes of the
	// scheduler's own search for devices are not made then.
	Bundled bool
	// WithoutAffinity makes the bundled allocator one that does not know sharing
	// affinity.
	WithoutAffinity bool
	// Admit, if set, is what the API server makes of new slices. Without it, it
	// takes whatever it is given.
	Admit func(*resourceapi.ResourceSliceSpec)
	// Mistakes are what the cluster does wrong.
	Mistakes Mistakes
	// Objects are in the cluster from the beginning.
	Objects []runtime.Object
}

// Cluster is a fake cluster. It moves on whenever somebody looks at it.
type Cluster struct {
	Options
	clientset *fake.Clientset
	matches   matcher

	mu sync.Mutex // held while the cluster moves
	// since is when each part of the cluster noticed what it has to do.
	since map[string]time.Time
	// changes counts what changes the answer to what fits.
	changes int
	// refusedAt is changes when a pod for simulated nodes was refused, by its UID.
	refusedAt map[types.UID]int
	// uids counts what was created.
	uids int
	// remembered are the counters and devices of claims that are gone, for
	// a scheduler that never returns them.
	remembered []holding
	// unknown are the shared devices that are closed until they are drained.
	unknown map[holding]bool
	// restarts counts how often what runs on a node was started again.
	restarts map[restartable]int
	// drivers are the drivers' pods, by their nodes.
	drivers map[string]*Driver
	// absent are the drivers that are not there, by their nodes.
	absent map[string]*absence
	// known are the claims that kubelets use, or have to give back.
	known map[use]bool
	// unsure are those of which a kubelet that started anew does not know whether
	// they are prepared.
	unsure map[use]bool
	// tried counts how often a pod could not be started.
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

// classOf is the class of all devices of a driver.
func classOf(driver string) *resourceapi.DeviceClass {
	return &resourceapi.DeviceClass{
		ObjectMeta: metav1.ObjectMeta{Name: driver},
		Spec: resourceapi.DeviceClassSpec{Selectors: []resourceapi.DeviceSelector{
			{CEL: &resourceapi.CELDeviceSelector{Expression: fmt.Sprintf("device.driver == %q", driver)}},
		}},
	}
}

func nodeName(i int) string { return fmt.Sprintf("node-%d", i+1) }

// Client talks to the cluster.
func (c *Cluster) Client() kubernetes.Interface { return client{c.clientset, c} }

// The resources that the cluster works with.
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

// move lets every part of the cluster do what it has to do by now. It is called
// before each request, and does not answer it.
func (c *Cluster) move(action clienttesting.Action) (bool, runtime.Object, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.advance()
	// It takes effect after this.
	if !isRead(action) && slices.Contains(decidedBy, action.GetResource()) {
		c.changes++
	}
	return false, nil, nil
}

// hasChanged counts what was created once more: somebody else's request may have
// let the scheduler look after move and before it took effect.
func (c *Cluster) hasChanged(action clienttesting.Action) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if slices.Contains(decidedBy, action.GetResource()) {
		c.changes++
	}
}

// advance lets every part do what it has to do. The caller holds the lock.
func (c *Cluster) advance() {
	for _, part := range []func() error{c.wipe, c.removeDeleted, c.giveBack, c.makeClaims, c.schedule, c.reserve, c.startPods} {
		if err := part(); err != nil {
			// It would look like a fault of the cluster that is played.
			panic(fmt.Sprintf("fake cluster: %v", err))
		}
	}
}

// decidedBy are what decides, beside claims and pods, whether a pod fits.
var decidedBy = []schema.GroupVersionResource{slicesOf, classesOf, nodesOf}

func isRead(action clienttesting.Action) bool {
	return slices.Contains([]string{"get", "list", "watch"}, action.GetVerb())
}

// due reports whether the cluster's lag has passed since this was first asked.
func (c *Cluster) due(what string, about fmt.Stringer) bool {
	key := what + " " + about.String()
	if _, ok := c.since[key]; !ok {
		c.since[key] = time.Now()
	}
	return time.Since(c.since[key]) >= c.Lag
}
