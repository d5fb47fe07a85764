// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package classic creates claims of classic DRA (KEP-3063), which control plane
// controllers of drivers allocate, and does what such a controller would do. It uses
// the API of Kubernetes 1.31, the last release that had it, and in [Earlier] that of 1.30.
package classic

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// Cluster has simulated nodes for a spec, and the claims of drivers that the spec plays.
type Cluster struct {
	// Nodes are the names of the nodes.
	Nodes []string
	// Class is a DeviceClass without any restriction.
	Class string
	// Simulated has the nodes.
	Simulated *simulated.Nodes

	env *env.Env
	// version is that of the API. Empty means that of Kubernetes 1.31.
	version string
	// claims are the names of the created claims, created those of the classes, and slices
	// those of the ResourceSlices.
	claims, created, slices []string
}

// Create creates simulated nodes, with the labels that a function returns for their
// numbers, and a DeviceClass. Everything is removed at the end of the spec, which must
// have [env.NeedsSimulatedNodes].
func Create(ctx context.Context, e *env.Env, nodes int, labels ...func(node int) map[string]string) *Cluster {
	ginkgo.GinkgoHelper()
	sim := createNodes(ctx, e, nodes, labels)
	c := &Cluster{Nodes: sim.Names, Simulated: sim, env: e}
	e.Cleanups = append(e.Cleanups, c.cleanUp)
	c.Class = c.CreateClass(ctx, "any", nil)
	return c
}

// createNodes creates simulated nodes with the labels that functions return for their
// numbers.
func createNodes(ctx context.Context, e *env.Env, nodes int, labels []func(node int) map[string]string) *simulated.Nodes {
	ginkgo.GinkgoHelper()
	return simulated.CreateNodesWithoutDriver(ctx, e, nodes, func(number int, node *corev1.Node) {
		for _, of := range labels {
			maps.Copy(node.Labels, of(number))
		}
	})
}

// Driver returns the name of a driver of the spec.
func (c *Cluster) Driver(name string) string {
	return name + "." + c.env.UniqueName() + ".draconform.dev"
}

// finalizer returns the finalizer of a driver.
func finalizer(driver string) string { return driver + "/deletion-protection" }

// CreateClass creates a DeviceClass for nodes with labels, or for all. It returns the
// name of the class.
func (c *Cluster) CreateClass(ctx context.Context, name string, suitable map[string]string) string {
	ginkgo.GinkgoHelper()
	full := c.ClassName(name)
	ginkgo.By("creating device class " + full)
	gomega.Expect(c.TryCreateClass(ctx, name, classSpec(suitable))).To(gomega.Succeed())
	return full
}

// DeleteClass deletes a class.
func (c *Cluster) DeleteClass(ctx context.Context, name string) {
	ginkgo.GinkgoHelper()
	ginkgo.By("deleting class " + name)
	c.env.Deleted("DeviceClass", name)
	gomega.Expect(c.delete(ctx, c.resourceOfClasses(), name)).To(gomega.Succeed())
}

// GetClass returns a DeviceClass.
func (c *Cluster) GetClass(ctx context.Context, name string) (Class, error) {
	var class Class
	err := c.get(ctx, classes, name, &class)
	return class, err
}

// ClassName returns the name of a class of [Cluster.CreateClass].
func (c *Cluster) ClassName(name string) string { return c.env.UniqueName() + "-" + name }

// SetSuitableNodes changes the nodes of a DeviceClass.
func (c *Cluster) SetSuitableNodes(ctx context.Context, class string, suitable map[string]string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("setting suitableNodes of device class %s to %v", class, suitable))
	gomega.Expect(c.patch(ctx, classes, []string{class}, object{"spec": classSpec(suitable)})).To(gomega.Succeed())
}

func classSpec(suitable map[string]string) object {
	var expressions []object
	for key, value := range suitable {
		expressions = append(expressions, object{"key": key, "operator": "In", "values": []string{value}})
	}
	if expressions == nil {
		return object{}
	}
	return object{"suitableNodes": object{"nodeSelectorTerms": []object{{"matchExpressions": expressions}}}}
}

// ClaimSpec returns the spec of a claim for a device of each of some classes. An empty
// driver leaves the allocation to the scheduler.
func ClaimSpec(driver string, classes ...string) map[string]any {
	var requests []object
	for i, class := range classes {
		requests = append(requests, object{"name": requestName(i), "deviceClassName": class})
	}
	spec := object{"devices": object{"requests": requests}}
	if driver != "" {
		spec["controller"] = driver
	}
	return spec
}

// requestName returns the name of a request of [ClaimSpec].
func requestName(i int) string {
	if i == 0 {
		return "device"
	}
	return fmt.Sprintf("device-%d", i)
}

// TryCreateClaim creates a claim and returns the error of the API server.
func (c *Cluster) TryCreateClaim(ctx context.Context, name string, spec map[string]any) error {
	err := c.create(ctx, claims, "ResourceClaim", object{"name": name, "labels": c.env.Labels}, spec)
	if err == nil {
		c.claims = append(c.claims, name)
	}
	return err
}

// TryCreateClaimWith is [Cluster.TryCreateClaim] of a claim with a status.
func (c *Cluster) TryCreateClaimWith(ctx context.Context, name string, spec, status map[string]any) error {
	err := c.createObject(ctx, claims, object{"kind": "ResourceClaim", "metadata": object{"name": name, "labels": c.env.Labels}, "spec": spec, "status": status})
	if err == nil {
		c.claims = append(c.claims, name)
	}
	return err
}

// TryCreateClass creates a DeviceClass with a spec and returns the error of the API server.
func (c *Cluster) TryCreateClass(ctx context.Context, name string, spec map[string]any) error {
	full := c.ClassName(name)
	err := c.create(ctx, classes, "DeviceClass", object{"name": full, "labels": c.env.Labels}, spec)
	if err == nil {
		c.created = append(c.created, full)
	}
	return err
}

// CreateClaim creates a claim that a driver allocates, or the scheduler if there is none.
func (c *Cluster) CreateClaim(ctx context.Context, name, driver string, classes ...string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("creating claim %s, which %s allocates", name, cmp.Or(driver, "the scheduler")))
	gomega.Expect(c.TryCreateClaim(ctx, name, ClaimSpec(driver, classes...))).To(gomega.Succeed())
}

// CreatePod creates a pod that uses claims. In the pod, the n-th claim has the name
// that [pods.ClaimOf] returns.
func (c *Cluster) CreatePod(ctx context.Context, name string, claimNames ...string) *corev1.Pod {
	ginkgo.GinkgoHelper()
	return c.createPod(ctx, name, pods.Options{}, claimNames)
}

// CreateBoundPod creates a pod that is bound to a node, without a scheduler.
func (c *Cluster) CreateBoundPod(ctx context.Context, name, node string, claimNames ...string) *corev1.Pod {
	ginkgo.GinkgoHelper()
	return c.createPod(ctx, name, pods.Options{Change: func(spec *corev1.PodSpec) { spec.NodeName = node }}, claimNames)
}

func (c *Cluster) createPod(ctx context.Context, name string, options pods.Options, claimNames []string) *corev1.Pod {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("creating pod %s with claims %v", name, claimNames))
	var used []*resourceapi.ResourceClaim
	for _, claim := range claimNames {
		used = append(used, &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: claim}})
	}
	pod, err := pods.Create(ctx, c.env, name, options, used...)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	return pod
}

// CreatePodOn creates a pod for a node that uses claims.
func (c *Cluster) CreatePodOn(ctx context.Context, name, node string, claimNames ...string) *corev1.Pod {
	ginkgo.GinkgoHelper()
	return c.createPod(ctx, name, pods.Options{Node: node}, claimNames)
}

// cleanUp deletes the claims and classes. It removes the finalizers of drivers first,
// because nobody plays them any more.
func (c *Cluster) cleanUp(ctx context.Context) error {
	var errs []error
	for _, name := range c.claims {
		err := c.patch(ctx, claims, []string{name}, object{"metadata": object{"finalizers": nil}})
		if err != nil && !apierrors.IsNotFound(err) {
			errs = append(errs, fmt.Errorf("remove the finalizers of claim %s: %w", name, err))
		}
		errs = append(errs, c.delete(ctx, claims, name))
	}
	for _, name := range c.created {
		errs = append(errs, c.delete(ctx, c.resourceOfClasses(), name))
	}
	return errors.Join(errs...)
}

// resourceOfClasses returns the resource of the classes that the API has.
func (c *Cluster) resourceOfClasses() string {
	if c.version == versionOf130 {
		return earlier
	}
	return classes
}
