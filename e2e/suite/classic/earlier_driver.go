// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// EarlierDriver has simulated nodes in a cluster of Kubernetes 1.30, and the controller of
// the driver under test, which its classes name.
type EarlierDriver struct {
	*Earlier

	controller operations.ClassicController
	started    *started
}

// CreateEarlierDriver creates simulated nodes with a number of devices each, a
// ResourceClass of the driver under test, and starts the driver. Labels restrict the
// nodes with devices. Everything is removed at the end of the spec, which must have
// [env.NeedsSimulatedNodes] and [env.NeedsClassicControllers].
func CreateEarlierDriver(ctx context.Context, e *env.Env, nodes, devices int, restrict map[string]string, labels ...func(node int) map[string]string) *EarlierDriver {
	ginkgo.GinkgoHelper()
	d := &EarlierDriver{started: &started{env: e}}
	e.Cleanups = append(e.Cleanups, d.started.cleanUp)
	d.Earlier = CreateEarlier(ctx, e, nodes, labels...)
	of := simulated.LabelsOf(e)
	maps.Copy(of, restrict)
	d.controller = operations.ClassicController{Driver: d.driver, Namespace: e.Namespace, DevicesPerNode: devices, Nodes: of}
	d.StartController(ctx)
	return d
}

// StartController starts the controller of the driver.
func (d *EarlierDriver) StartController(ctx context.Context) {
	ginkgo.GinkgoHelper()
	d.started.run(ctx, d.controller)
}

// KillController ends the controller of the driver without time to clean up.
func (d *EarlierDriver) KillController() {
	ginkgo.GinkgoHelper()
	ginkgo.By("killing the controller of driver " + d.driver)
	gomega.Expect(d.started.kill()).To(gomega.Succeed())
}

// CreateClassForNodes creates a ResourceClass with parameters that let the driver allocate
// claims for some nodes only. It returns the name of the class.
func (d *EarlierDriver) CreateClassForNodes(ctx context.Context, name string, nodes ...string) string {
	ginkgo.GinkgoHelper()
	full := d.ClassName(name)
	d.CreateParameters(ctx, full, nodes...)
	ginkgo.By("creating resource class " + full + " with these parameters")
	d.createClass(ctx, full, object{"driverName": d.driver, "parametersRef": object{"kind": "ConfigMap", "namespace": d.env.Namespace, "name": full}})
	return full
}

// CreateParameters creates parameters with which the driver allocates claims for some nodes
// only.
func (d *EarlierDriver) CreateParameters(ctx context.Context, name string, nodes ...string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("creating parameters %s for nodes %v", name, nodes))
	_, err := d.env.Client.CoreV1().ConfigMaps(d.env.Namespace).Create(ctx, &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: d.env.Labels}, Data: d.env.ClassicControllers.Parameters(nodes...),
	}, metav1.CreateOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
}

// CreateClaimReferring creates a claim that is allocated immediately, with a reference to
// parameters.
func (d *EarlierDriver) CreateClaimReferring(ctx context.Context, name, parameters string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("creating claim %s with parameters %s", name, parameters))
	gomega.Expect(d.TryCreateClaim(ctx, name, object{
		"resourceClassName": d.Class, "allocationMode": Immediate, "parametersRef": object{"kind": "ConfigMap", "name": parameters},
	})).To(gomega.Succeed())
}

// Allocated is the condition of a claim that the driver under test has allocated.
func (d *EarlierDriver) Allocated(claim Claim) error {
	switch {
	case claim.Status.Allocation == nil:
		return errors.New("the claim is not allocated")
	case claim.Status.DriverName != d.driver:
		return fmt.Errorf("the claim is allocated by %q, and should be by %q", claim.Status.DriverName, d.driver)
	case len(claim.Metadata.Finalizers) == 0:
		return errors.New("the claim has no finalizer of its driver")
	}
	return nil
}

// AllocatedFor returns the condition of a claim that the driver under test has allocated
// so that a pod on a node can use it.
func (d *EarlierDriver) AllocatedFor(ctx context.Context, node string) func(Claim) error {
	return func(claim Claim) error {
		if err := d.Allocated(claim); err != nil {
			return err
		}
		nodes := claim.Status.Allocation.AvailableOnNodes
		available, err := d.isAvailable(ctx, nodes, node)
		if err == nil && !available {
			err = fmt.Errorf("the claim is not available on node %s, but on %v", node, nodes)
		}
		return err
	}
}
