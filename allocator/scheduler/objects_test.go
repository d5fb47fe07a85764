// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

const (
	driver = "gpu.example.com"
	class  = "gpu"
)

func node(name string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"kubernetes.io/hostname": name}}}
}

// gpus returns the slice of a node with count devices gpu-0, gpu-1...
func gpus(nodeName string, count int, changes ...func(*resourceapi.Device)) *resourceapi.ResourceSlice {
	slice := &resourceapi.ResourceSlice{
		ObjectMeta: metav1.ObjectMeta{Name: nodeName + "-gpus"},
		Spec: resourceapi.ResourceSliceSpec{
			Driver:   driver,
			NodeName: ptr.To(nodeName),
			Pool:     resourceapi.ResourcePool{Name: nodeName, ResourceSliceCount: 1, Generation: 1},
		},
	}
	for i := range count {
		device := resourceapi.Device{Name: fmt.Sprintf("gpu-%d", i)}
		for _, change := range changes {
			change(&device)
		}
		slice.Spec.Devices = append(slice.Spec.Devices, device)
	}
	return slice
}

func deviceClass() *resourceapi.DeviceClass {
	return &resourceapi.DeviceClass{
		ObjectMeta: metav1.ObjectMeta{Name: class},
		Spec: resourceapi.DeviceClassSpec{Selectors: []resourceapi.DeviceSelector{{
			CEL: &resourceapi.CELDeviceSelector{Expression: fmt.Sprintf("device.driver == %q", driver)},
		}}},
	}
}

// extendedClass returns a class that backs the extended resource
// example.com/gpu.
func extendedClass() *resourceapi.DeviceClass {
	c := deviceClass()
	c.Spec.ExtendedResourceName = ptr.To("example.com/gpu")
	return c
}

// request returns a request for count devices of the class.
func request(name string, count int64) resourceapi.DeviceRequest {
	return resourceapi.DeviceRequest{Name: name, Exactly: &resourceapi.ExactDeviceRequest{
		DeviceClassName: class, AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: count,
	}}
}

// firstOf returns a request with one alternative for each count, in order of
// preference.
func firstOf(name string, counts ...int64) resourceapi.DeviceRequest {
	r := resourceapi.DeviceRequest{Name: name}
	for i, count := range counts {
		r.FirstAvailable = append(r.FirstAvailable, resourceapi.DeviceSubRequest{
			Name: fmt.Sprintf("alternative-%d", i), DeviceClassName: class, AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: count,
		})
	}
	return r
}

func claimOf(name string, requests ...resourceapi.DeviceRequest) *resourceapi.ResourceClaim {
	return &resourceapi.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID("uid-" + name)},
		Spec:       resourceapi.ResourceClaimSpec{Devices: resourceapi.DeviceClaim{Requests: requests}},
	}
}

// on allocates a device of the node's pool to the claim.
func on(claim *resourceapi.ResourceClaim, nodeName, device string, consumers ...*corev1.Pod) *resourceapi.ResourceClaim {
	claim.Finalizers = []string{resourceapi.Finalizer}
	claim.Status.Allocation = &resourceapi.AllocationResult{
		Devices: resourceapi.DeviceAllocationResult{Results: []resourceapi.DeviceRequestAllocationResult{{
			Request: "req", Driver: driver, Pool: nodeName, Device: device,
		}}},
		NodeSelector: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchFields: []corev1.NodeSelectorRequirement{{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{nodeName}}},
		}}},
	}
	for _, pod := range consumers {
		claim.Status.ReservedFor = append(claim.Status.ReservedFor, consumer(pod))
	}
	return claim
}

func consumer(pod *corev1.Pod) resourceapi.ResourceClaimConsumerReference {
	return resourceapi.ResourceClaimConsumerReference{Resource: "pods", Name: pod.Name, UID: pod.UID}
}

// podWith returns a pod that uses claims by name.
func podWith(name string, claims ...string) *corev1.Pod {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID("uid-of-pod-" + name)},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main"}}},
	}
	for _, claim := range claims {
		pod.Spec.ResourceClaims = append(pod.Spec.ResourceClaims, corev1.PodResourceClaim{Name: claim, ResourceClaimName: ptr.To(claim)})
	}
	return pod
}

// extendedPod returns a pod whose only container requests example.com/gpu.
func extendedPod(name, quantity string) *corev1.Pod {
	pod := podWith(name)
	pod.Spec.Containers[0].Resources.Requests = corev1.ResourceList{"example.com/gpu": resource.MustParse(quantity)}
	return pod
}
