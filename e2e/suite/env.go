package suite

import (
	"context"
	"fmt"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/subject"
)

// Timeouts has the limits of the waits of specs.
type Timeouts struct {
	// Run is how long a pod may take until it runs, from its creation or from
	// the time when its devices became free.
	Run time.Duration
	// Refuse is how long the scheduler may take to report a pod as
	// unschedulable.
	Refuse time.Duration
	// Settle is how long a pod must stay unschedulable to be judged so.
	Settle time.Duration
	// Gone is how long deleted objects may take to be removed.
	Gone time.Duration
	// Recover is how long the cluster may take to recover after a restart.
	Recover time.Duration
}

// DefaultTimeouts returns the timeouts for a cluster on one machine.
func DefaultTimeouts() Timeouts {
	return Timeouts{Run: 2 * time.Minute, Refuse: 30 * time.Second, Settle: 3 * time.Second, Gone: time.Minute, Recover: 2 * time.Minute}
}

// Env is the environment of a spec: a cluster, a namespace for the spec, and
// the drivers.
type Env struct {
	Client    kubernetes.Interface
	Namespace string
	Subject   subject.Subject
	Timeouts  Timeouts

	// Nodes, ControlPlane, Drivers and Versions do what the API does not offer
	// (see [Target]). They are nil if the run must not do so.
	Nodes        Nodes
	ControlPlane ControlPlane
	Drivers      Drivers
	Versions     Versions
	// Workload is the image of the pods' container.
	Workload string
	// Scheduler is the name of the pods' scheduler. Empty means the default
	// scheduler.
	Scheduler string
	// Labels are set on all objects that the spec creates.
	Labels map[string]string
	// ArtifactsDir is the folder for the dump of a failed spec.
	ArtifactsDir string

	// SimulatedDriver is the driver of the spec's simulated nodes. It is empty
	// if the spec has created none.
	SimulatedDriver string
	// PlacePod, if set, restricts a new pod to the spec's simulated nodes.
	PlacePod func(*corev1.Pod)
	// DeviceClasses lists the DeviceClasses that are deleted at the end of the
	// spec.
	DeviceClasses []string
	// Cleanups are called at the end of the spec, after its pods, claims and
	// DeviceClasses are removed.
	Cleanups []func(context.Context) error
	// OnDelete, if set, is called for each object that the spec deletes. The
	// kind is that of the API.
	OnDelete func(kind, name string)
}

// Deleted calls OnDelete, if it is set.
func (e *Env) Deleted(kind, name string) {
	if e.OnDelete != nil {
		e.OnDelete(kind, name)
	}
}

// driverNames returns the names of the subject's drivers and of the driver of
// the spec's simulated nodes.
func (e *Env) driverNames() []string {
	names := e.Subject.Drivers()
	if e.SimulatedDriver != "" {
		names = append(names, e.SimulatedDriver)
	}
	return names
}

// slicesOf returns the ResourceSlices of a driver.
func (e *Env) slicesOf(ctx context.Context, driver string) ([]resourceapi.ResourceSlice, error) {
	list, err := e.Client.ResourceV1().ResourceSlices().List(ctx, metav1.ListOptions{FieldSelector: resourceapi.ResourceSliceSelectorDriver + "=" + driver})
	if err != nil {
		return nil, fmt.Errorf("list slices of driver %s: %w", driver, err)
	}
	return list.Items, nil
}

// Inventory returns the devices that the drivers' ResourceSlices offer.
func (e *Env) Inventory(ctx context.Context) (*audit.Inventory, error) {
	var offered []resourceapi.ResourceSlice
	for _, driver := range e.driverNames() {
		of, err := e.slicesOf(ctx, driver)
		if err != nil {
			return nil, err
		}
		offered = append(offered, of...)
	}
	return audit.NewInventory(offered), nil
}

// Parent returns the value of the attribute that identifies the parent of a
// device.
func (e *Env) Parent(ctx context.Context, parents subject.Parents, device audit.DeviceID) string {
	ginkgo.GinkgoHelper()
	inventory, err := e.Inventory(ctx)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	parent, ok := inventory.Attribute(device, parents.Parent)
	gomega.Expect(ok).To(gomega.BeTrue(), "device %s should have the string attribute %s", device, parents.Parent)
	return parent
}
