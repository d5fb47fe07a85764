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

// Timeouts bound the waits of specs.
type Timeouts struct {
	// Run is how long a pod may take from its creation, or from when its
	// devices became free, until it runs.
	Run time.Duration
	// Refuse is how long the scheduler may take to say that a pod does not
	// fit.
	Refuse time.Duration
	// Settle is how long a refusal must last to count as one.
	Settle time.Duration
	// Gone is how long objects may take to disappear.
	Gone time.Duration
	// Recover is how long it may take after a restart until everything is as
	// it was before.
	Recover time.Duration
}

// DefaultTimeouts are for a cluster on one machine.
func DefaultTimeouts() Timeouts {
	return Timeouts{Run: 2 * time.Minute, Refuse: 30 * time.Second, Settle: 3 * time.Second, Gone: time.Minute, Recover: 2 * time.Minute}
}

// Env is what a spec works with: a cluster, a namespace of its own, and the
// drivers.
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
	// scheduler is the name of the pods' scheduler; empty for the default one.
	scheduler string
	labels    map[string]string
	// stage is where pods are started, if the spec has set one up.
	stage *Stage
	// classes are the names of those that go with the spec.
	classes []string
	// kept is what a journey must leave alone.
	kept kept
	// changer changes what the cluster runs.
	changer Changer
	// allocates tells the auditor who allocates from now on.
	allocates func(audit.Scheduler)
	// changing is the change that is under way, or that has failed.
	changing *change.Want
	// interrupt says that what schedules and what gives back is killed after the
	// next change.
	interrupt bool
	// situation finds out anew what there is, and inside counts the specs that
	// were run within this one.
	situation func(context.Context) (Situation, error)
	inside    int
	// left is the folder for what a failed spec leaves.
	left string
	// opened is told of namespaces whose end nobody waits for yet.
	opened func(namespace string)
}

// driverNames are those of the subject, and of the spec's own stage.
func (e *Env) driverNames() []string {
	names := e.Subject.Drivers()
	if e.stage != nil {
		names = append(names, e.stage.Driver)
	}
	return names
}

// slicesOf are the slices of a driver.
func (e *Env) slicesOf(ctx context.Context, driver string) ([]resourceapi.ResourceSlice, error) {
	list, err := e.Client.ResourceV1().ResourceSlices().List(ctx, metav1.ListOptions{FieldSelector: resourceapi.ResourceSliceSelectorDriver + "=" + driver})
	if err != nil {
		return nil, fmt.Errorf("list slices of driver %s: %w", driver, err)
	}
	return list.Items, nil
}

// Inventory reads what the drivers' slices offer.
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

// Parent is what devices of one parent have in common: the value of the attribute
// that says which it is.
func (e *Env) Parent(ctx context.Context, parents subject.Parents, device audit.DeviceID) string {
	ginkgo.GinkgoHelper()
	inventory, err := e.Inventory(ctx)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	parent, ok := inventory.Attribute(device, parents.Parent)
	gomega.Expect(ok).To(gomega.BeTrue(), "device %s should have the string attribute %s", device, parents.Parent)
	return parent
}
