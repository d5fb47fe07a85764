package suite

import (
	"context"
	"fmt"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/draconform/draconform/clusters/change"
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

	nodes        Nodes
	controlPlane ControlPlane
	drivers      Drivers
	versions     Versions
	// workload is the image of the pods' container.
	workload string
	// scheduler is the name of the pods' scheduler. Empty means the default
	// scheduler.
	scheduler string
	labels    map[string]string
	// stage is the stage for the spec's pods. It is nil if the spec has not set
	// one up.
	stage *Stage
	// classes lists the DeviceClasses that are deleted at the end of the spec.
	classes []string
	// kept is what the changes of a journey must not affect.
	kept kept
	// changer changes the components of the cluster.
	changer Changer
	// allocates informs the auditor that another scheduler allocates from now
	// on.
	allocates func(audit.Scheduler)
	// changing is the change that is in progress or that has failed.
	changing *change.Want
	// interrupt is set if the scheduler and the controller manager are killed
	// after the next change.
	interrupt bool
	// situation detects the current state of the cluster. inside counts the
	// specs that were run within this one.
	situation func(context.Context) (Situation, error)
	inside    int
	// left is the folder for the dump of a failed spec.
	left string
	// opened registers a namespace that was deleted, and whose removal is
	// awaited at the end of the run.
	opened func(namespace string)
}

// driverNames returns the names of the subject's drivers and of the stage's
// driver.
func (e *Env) driverNames() []string {
	names := e.Subject.Drivers()
	if e.stage != nil {
		names = append(names, e.stage.Driver)
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
