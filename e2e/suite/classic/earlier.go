// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// The allocation modes of claims of Kubernetes 1.30.
const (
	// Immediate claims are allocated as soon as they exist.
	Immediate = "Immediate"
	// Delayed claims are allocated for a pod.
	Delayed = "WaitForFirstConsumer"
)

// Earlier has simulated nodes in a cluster of Kubernetes 1.30, whose classes name a driver
// that the spec plays.
type Earlier struct {
	*Cluster

	driver string
}

// CreateEarlier creates simulated nodes and a ResourceClass, as [Create] does.
func CreateEarlier(ctx context.Context, e *env.Env, nodes int, labels ...func(node int) map[string]string) *Earlier {
	ginkgo.GinkgoHelper()
	sim := createNodes(ctx, e, nodes, labels)
	c := &Earlier{Cluster: &Cluster{Nodes: sim.Names, Simulated: sim, env: e, version: versionOf130}}
	c.driver = c.Driver("a")
	e.Cleanups = append(e.Cleanups, c.cleanUp)
	c.Class = c.CreateClass(ctx, "any", c.driver)
	return c
}

// CreateClass creates a ResourceClass of a driver. It returns the name of the class.
func (c *Earlier) CreateClass(ctx context.Context, name, driver string) string {
	ginkgo.GinkgoHelper()
	full := c.ClassName(name)
	ginkgo.By(fmt.Sprintf("creating resource class %s of driver %s", full, driver))
	c.createClass(ctx, full, object{"driverName": driver})
	return full
}

func (c *Earlier) createClass(ctx context.Context, name string, class object) {
	ginkgo.GinkgoHelper()
	gomega.Expect(c.tryCreateClass(ctx, name, class)).To(gomega.Succeed())
}

// TryCreateClass creates a ResourceClass with these fields and returns the error of the API
// server.
func (c *Earlier) TryCreateClass(ctx context.Context, name string, class map[string]any) error {
	return c.tryCreateClass(ctx, c.ClassName(name), class)
}

func (c *Earlier) tryCreateClass(ctx context.Context, name string, class object) error {
	class["kind"], class["metadata"] = "ResourceClass", object{"name": name, "labels": c.env.Labels}
	err := c.createObject(ctx, earlier, class)
	if err == nil {
		c.created = append(c.created, name)
	}
	return err
}

// TryChangeMode changes the allocation mode of a claim and returns the error of the API
// server.
func (c *Earlier) TryChangeMode(ctx context.Context, claim, mode string) error {
	return c.patch(ctx, claims, []string{claim}, object{"spec": object{"allocationMode": mode}})
}

// CreateClaim creates a claim with an allocation mode. An empty mode leaves it to the API
// server.
func (c *Earlier) CreateClaim(ctx context.Context, name, mode string) {
	ginkgo.GinkgoHelper()
	c.CreateClaimOf(ctx, name, c.Class, mode)
}

// CreateClaimOf is [Earlier.CreateClaim] for another class.
func (c *Earlier) CreateClaimOf(ctx context.Context, name, class, mode string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("creating claim %s with allocation mode %q", name, mode))
	spec := object{"resourceClassName": class}
	if mode != "" {
		spec["allocationMode"] = mode
	}
	gomega.Expect(c.TryCreateClaim(ctx, name, spec)).To(gomega.Succeed())
}

// CreatePod creates a pod that uses a claim, and which only some nodes suit if there are
// any.
func (c *Earlier) CreatePod(ctx context.Context, name, claim string, nodes ...string) {
	ginkgo.GinkgoHelper()
	c.createPodWith(ctx, name, []string{claim}, func(spec *corev1.PodSpec) {
		if len(nodes) > 0 {
			spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: selectorOf(nodes)}}
		}
	})
}

// CreatePodWith creates a pod that uses several claims.
func (c *Earlier) CreatePodWith(ctx context.Context, name string, claimNames ...string) *corev1.Pod {
	ginkgo.GinkgoHelper()
	return c.createPodWith(ctx, name, claimNames, func(*corev1.PodSpec) {})
}

// CreateBoundPod creates a pod that is bound to a node, without a scheduler.
func (c *Earlier) CreateBoundPod(ctx context.Context, name, node, claim string) *corev1.Pod {
	ginkgo.GinkgoHelper()
	return c.createPodWith(ctx, name, []string{claim}, func(spec *corev1.PodSpec) { spec.NodeName = node })
}

// CreateUnscheduledPod creates a pod that no scheduler schedules.
func (c *Earlier) CreateUnscheduledPod(ctx context.Context, name, claim string) *corev1.Pod {
	ginkgo.GinkgoHelper()
	return c.createPodWith(ctx, name, []string{claim}, leaveUnscheduled)
}

func (c *Earlier) createPodWith(ctx context.Context, name string, claimNames []string, change func(*corev1.PodSpec)) *corev1.Pod {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("creating pod %s with claims %v", name, claimNames))
	pod, err := pods.New(c.env, name)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	var used []object
	for i, claim := range claimNames {
		resources := &pod.Spec.Containers[0].Resources
		resources.Claims = append(resources.Claims, corev1.ResourceClaim{Name: pods.ClaimOf(i)})
		used = append(used, object{"name": pods.ClaimOf(i), "source": object{"resourceClaimName": claim}})
	}
	change(&pod.Spec)
	o, err := runtime.DefaultUnstructuredConverter.ToUnstructured(pod)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	// The API of newer releases has the name of the claim elsewhere.
	o["spec"].(object)["resourceClaims"] = used
	o["apiVersion"], o["kind"] = "v1", "Pod"
	request := c.client().Post().AbsPath("/api/v1/namespaces", c.env.Namespace, "pods")
	created := &corev1.Pod{}
	gomega.Expect(c.do(ctx, request, "application/json", o, created)).To(gomega.Succeed())
	return created
}

// selectorOf returns a node selector for nodes.
func selectorOf(nodes []string) *corev1.NodeSelector {
	return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
		MatchExpressions: []corev1.NodeSelectorRequirement{{Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpIn, Values: nodes}},
	}}}
}

// Allocate does what the driver does to allocate a claim for nodes.
func (c *Earlier) Allocate(ctx context.Context, claim string, nodes ...string) {
	ginkgo.GinkgoHelper()
	gomega.Expect(c.tryAllocate(ctx, claim, "", true, nodes)).To(gomega.Succeed())
}

// AllocateForOne is [Earlier.Allocate] of something that only one pod can use at a time.
func (c *Earlier) AllocateForOne(ctx context.Context, claim string, nodes ...string) {
	ginkgo.GinkgoHelper()
	gomega.Expect(c.tryAllocate(ctx, claim, "", false, nodes)).To(gomega.Succeed())
}

// TryAllocate is [Earlier.Allocate] with data for the kubelet plugin of the driver. It
// returns the error of the API server.
func (c *Earlier) TryAllocate(ctx context.Context, claim, data string, nodes ...string) error {
	ginkgo.GinkgoHelper()
	return c.tryAllocate(ctx, claim, data, true, nodes)
}

func (c *Earlier) tryAllocate(ctx context.Context, claim, data string, shareable bool, nodes []string) error {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("allocating claim %s, shareable: %t, with %d bytes of data", claim, shareable, len(data)))
	finalizers := object{"metadata": object{"finalizers": []string{finalizer(c.driver)}}}
	gomega.Expect(c.patch(ctx, claims, []string{claim}, finalizers)).To(gomega.Succeed())
	return c.TryStatus(ctx, claim, object{"driverName": c.driver, "allocation": object{
		"availableOnNodes": selectorOf(nodes), "shareable": shareable, "resourceHandles": c.handles(data),
	}})
}

// handles returns the data for the kubelet plugin of the driver as they are in an
// allocation.
func (c *Earlier) handles(data string) []object {
	return []object{{"driverName": c.driver, "data": data}}
}

// TryChangeData changes the data of an allocation and returns the error of the API server.
func (c *Earlier) TryChangeData(ctx context.Context, claim, data string) error {
	return c.TryStatus(ctx, claim, object{"allocation": object{"resourceHandles": c.handles(data)}})
}
