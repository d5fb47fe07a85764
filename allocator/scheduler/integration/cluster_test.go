// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
)

const (
	driver  = "gpu.example.com"
	class   = "gpu"
	patient = 60 * time.Second
)

// cluster is the control plane during one test. It is emptied before and after the test.
type cluster struct {
	*WithT
	t   *testing.T
	ctx context.Context
	kubernetes.Interface
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	config := rest.CopyConfig(admin)
	config.QPS, config.Burst = 1000, 1000
	c := &cluster{WithT: NewWithT(t), t: t, ctx: context.Background(), Interface: kubernetes.NewForConfigOrDie(config)}
	c.SetDefaultEventuallyTimeout(patient)
	c.SetDefaultEventuallyPollingInterval(50 * time.Millisecond)
	t.Cleanup(c.clean)
	_, err := c.ResourceV1().DeviceClasses().Create(c.ctx, &resourceapi.DeviceClass{
		ObjectMeta: metav1.ObjectMeta{Name: class},
		Spec: resourceapi.DeviceClassSpec{
			ExtendedResourceName: ptr.To("example.com/gpu"),
			Selectors:            []resourceapi.DeviceSelector{{CEL: &resourceapi.CELDeviceSelector{Expression: fmt.Sprintf("device.driver == %q", driver)}}},
		},
	}, metav1.CreateOptions{})
	c.Expect(err).NotTo(HaveOccurred())
	return c
}

// clean removes what a test created, and waits until the resourceclaim controller has removed the finalizers of claims.
func (c *cluster) clean() {
	now := metav1.DeleteOptions{GracePeriodSeconds: ptr.To[int64](0)}
	c.Expect(c.CoreV1().Pods("default").DeleteCollection(c.ctx, now, metav1.ListOptions{})).To(Succeed())
	c.Expect(c.ResourceV1().ResourceClaims("default").DeleteCollection(c.ctx, now, metav1.ListOptions{})).To(Succeed())
	c.Expect(c.ResourceV1().ResourceSlices().DeleteCollection(c.ctx, now, metav1.ListOptions{})).To(Succeed())
	c.Expect(c.ResourceV1().DeviceClasses().DeleteCollection(c.ctx, now, metav1.ListOptions{})).To(Succeed())
	c.Expect(c.CoreV1().Nodes().DeleteCollection(c.ctx, now, metav1.ListOptions{})).To(Succeed())
	c.Eventually(c.claims).Should(BeEmpty())
}

// node creates a ready node with the given number of devices.
func (c *cluster) node(name string, devices int) { c.nodeWith(name, devices, nil) }

// nodeWith is like node and calls change with the slice before it is published.
func (c *cluster) nodeWith(name string, devices int, change func(*resourceapi.ResourceSlice)) {
	node, err := c.CoreV1().Nodes().Create(c.ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	c.Expect(err).NotTo(HaveOccurred())
	node.Spec.Taints = nil // Admission adds a taint to nodes. The controller that removes it once they are ready does not run.
	node, err = c.CoreV1().Nodes().Update(c.ctx, node, metav1.UpdateOptions{})
	c.Expect(err).NotTo(HaveOccurred())
	node.Status.Capacity = corev1.ResourceList{"cpu": resource.MustParse("100"), "memory": resource.MustParse("100Gi"), "pods": resource.MustParse("500")}
	node.Status.Allocatable = node.Status.Capacity
	node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	_, err = c.CoreV1().Nodes().UpdateStatus(c.ctx, node, metav1.UpdateOptions{})
	c.Expect(err).NotTo(HaveOccurred())
	if devices > 0 {
		c.slice(name, devices, change)
	}
}

func (c *cluster) slice(node string, devices int, change func(*resourceapi.ResourceSlice)) {
	slice := &resourceapi.ResourceSlice{
		ObjectMeta: metav1.ObjectMeta{Name: node},
		Spec: resourceapi.ResourceSliceSpec{
			Driver: driver, NodeName: ptr.To(node), Pool: resourceapi.ResourcePool{Name: node, ResourceSliceCount: 1},
		},
	}
	for i := range devices {
		slice.Spec.Devices = append(slice.Spec.Devices, resourceapi.Device{Name: fmt.Sprintf("gpu-%d", i)})
	}
	if change != nil {
		change(slice)
	}
	_, err := c.ResourceV1().ResourceSlices().Create(c.ctx, slice, metav1.CreateOptions{})
	c.Expect(err).NotTo(HaveOccurred())
}

func (c *cluster) claim(name string, count int64) {
	c.claimFrom(name, count, func(*resourceapi.ResourceClaim) {})
}

func (c *cluster) claimFrom(name string, count int64, change func(*resourceapi.ResourceClaim)) {
	claim := &resourceapi.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: resourceapi.ResourceClaimSpec{Devices: resourceapi.DeviceClaim{Requests: []resourceapi.DeviceRequest{{
			Name: "req", Exactly: &resourceapi.ExactDeviceRequest{DeviceClassName: class, Count: count},
		}}}},
	}
	change(claim)
	_, err := c.ResourceV1().ResourceClaims("default").Create(c.ctx, claim, metav1.CreateOptions{})
	c.Expect(err).NotTo(HaveOccurred())
}

// pod creates a pod that uses claims by name.
func (c *cluster) pod(name string, claims ...string) *corev1.Pod {
	return c.podFrom(name, func(pod *corev1.Pod) {
		for _, claim := range claims {
			pod.Spec.ResourceClaims = append(pod.Spec.ResourceClaims, corev1.PodResourceClaim{Name: claim, ResourceClaimName: ptr.To(claim)})
			pod.Spec.Containers[0].Resources.Claims = append(pod.Spec.Containers[0].Resources.Claims, corev1.ResourceClaim{Name: claim})
		}
	})
}

func (c *cluster) podFrom(name string, change func(*corev1.Pod)) *corev1.Pod {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "registry.invalid/none"}}},
	}
	change(pod)
	created, err := c.CoreV1().Pods("default").Create(c.ctx, pod, metav1.CreateOptions{})
	c.Expect(err).NotTo(HaveOccurred())
	return created
}

// podWithDevice creates a pod and a claim of the same name for one device.
func (c *cluster) podWithDevice(name string) {
	c.claim(name, 1)
	c.pod(name, name)
}

// remove deletes pods, as the kubelet does in the end, and waits until the resourceclaim controller has deallocated the
// claims of the same names.
func (c *cluster) remove(pods ...string) {
	for _, pod := range pods {
		c.Expect(c.CoreV1().Pods("default").Delete(c.ctx, pod, metav1.DeleteOptions{GracePeriodSeconds: ptr.To[int64](0)})).To(Succeed())
	}
	c.Eventually(func() []string {
		var held []string
		for _, claim := range c.claims() {
			if claim.Status.Allocation != nil && slices.Contains(pods, claim.Name) {
				held = append(held, claim.Name)
			}
		}
		return held
	}).Should(BeEmpty())
}

// bound returns the pods that have a node.
func (c *cluster) bound() []string {
	list, err := c.CoreV1().Pods("default").List(c.ctx, metav1.ListOptions{})
	c.Expect(err).NotTo(HaveOccurred())
	var names []string
	for i := range list.Items {
		if list.Items[i].Spec.NodeName != "" {
			names = append(names, list.Items[i].Name)
		}
	}
	return names
}

// nodeOf returns the node that a pod was bound to, or "" if it was not bound.
func (c *cluster) nodeOf(pod string) func() string {
	return func() string {
		p, err := c.CoreV1().Pods("default").Get(c.ctx, pod, metav1.GetOptions{})
		c.Expect(err).NotTo(HaveOccurred())
		return p.Spec.NodeName
	}
}

// reasonOf returns why a pod is not scheduled.
func (c *cluster) reasonOf(pod string) func() string {
	return func() string {
		p, err := c.CoreV1().Pods("default").Get(c.ctx, pod, metav1.GetOptions{})
		c.Expect(err).NotTo(HaveOccurred())
		for _, condition := range p.Status.Conditions {
			if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionFalse {
				return condition.Message
			}
		}
		return ""
	}
}

func (c *cluster) claims() []resourceapi.ResourceClaim {
	list, err := c.ResourceV1().ResourceClaims("default").List(c.ctx, metav1.ListOptions{})
	c.Expect(err).NotTo(HaveOccurred())
	return list.Items
}

// allocated returns the devices of all claims. It fails the test if an allocation is wrong.
func (c *cluster) allocated() []string {
	var devices []string
	claims := c.claims()
	c.verify(claims)
	for _, claim := range claims {
		if claim.Status.Allocation == nil {
			continue
		}
		for _, r := range claim.Status.Allocation.Devices.Results {
			devices = append(devices, r.Pool+"/"+r.Device)
		}
	}
	slices.Sort(devices)
	return devices
}
