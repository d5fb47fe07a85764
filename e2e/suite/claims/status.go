// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/suite/env"
)

// UpdateDeviceStatus writes the device statuses of a claim, as a driver does.
// They replace all previous device statuses (KEP-4817). It returns the error of
// the API server.
func UpdateDeviceStatus(ctx context.Context, e *env.Env, claim string, devices ...resourceapi.AllocatedDeviceStatus) error {
	ginkgo.By(fmt.Sprintf("writing the status of %d devices of claim %s", len(devices), claim))
	return updateStatus(ctx, e, claim, func(status *resourceapi.ResourceClaimStatus) { status.Devices = devices })
}

// ReadyStatus returns a status of the only device of a claim, which says that it is
// ready, with a message.
func ReadyStatus(ctx context.Context, e *env.Env, claim, message string) resourceapi.AllocatedDeviceStatus {
	ginkgo.GinkgoHelper()
	results := GetAllocation(ctx, e, claim).Results
	gomega.Expect(results).To(gomega.HaveLen(1), "claim %s should have one device", claim)
	return ReadyStatusOf(results[0], message)
}

// ReadyStatusOf returns a status of an allocated device, which says that it is ready, with
// a message.
func ReadyStatusOf(allocated resourceapi.DeviceRequestAllocationResult, message string) resourceapi.AllocatedDeviceStatus {
	return resourceapi.AllocatedDeviceStatus{
		Driver: allocated.Driver, Pool: allocated.Pool, Device: allocated.Device,
		Conditions: []metav1.Condition{{Type: "Ready", Status: metav1.ConditionTrue, Reason: "Simulated", Message: message, LastTransitionTime: metav1.Now()}},
	}
}

// GetDeviceStatus returns the device statuses of a claim.
func GetDeviceStatus(ctx context.Context, e *env.Env, claim string) []resourceapi.AllocatedDeviceStatus {
	ginkgo.GinkgoHelper()
	return Get(ctx, e, claim).Status.Devices
}

// ReserveForPod reserves an allocated claim for a pod of the spec, in addition
// to its other consumers. It returns the error of the API server.
func ReserveForPod(ctx context.Context, e *env.Env, claim, pod string) error {
	ginkgo.By(fmt.Sprintf("reserving claim %s for pod %s", claim, pod))
	user, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, pod, metav1.GetOptions{})
	if err != nil {
		return err
	}
	return updateStatus(ctx, e, claim, func(status *resourceapi.ResourceClaimStatus) { reserve(status, user) })
}

// ReserveForPods is [ReserveForPod] for several pods, in one update.
func ReserveForPods(ctx context.Context, e *env.Env, claim string, users ...*corev1.Pod) error {
	ginkgo.By(fmt.Sprintf("reserving claim %s for %d pods", claim, len(users)))
	return updateStatus(ctx, e, claim, func(status *resourceapi.ResourceClaimStatus) {
		for _, user := range users {
			reserve(status, user)
		}
	})
}

// ReserveForOther is [ReserveForPod] for a consumer that need not be a pod.
func ReserveForOther(ctx context.Context, e *env.Env, claim string, consumer resourceapi.ResourceClaimConsumerReference) error {
	ginkgo.By(fmt.Sprintf("reserving claim %s for %s %s", claim, consumer.Resource, consumer.Name))
	return updateStatus(ctx, e, claim, func(status *resourceapi.ResourceClaimStatus) {
		status.ReservedFor = append(status.ReservedFor, consumer)
	})
}

func reserve(status *resourceapi.ResourceClaimStatus, pod *corev1.Pod) {
	status.ReservedFor = append(status.ReservedFor, resourceapi.ResourceClaimConsumerReference{Resource: "pods", Name: pod.Name, UID: pod.UID})
}

// Allocate writes the allocation of a claim, which is not reserved for a pod. It
// is what a scheduler leaves that could not bind the pod after that. It returns the
// error of the API server.
func Allocate(ctx context.Context, e *env.Env, claim string, allocation *resourceapi.AllocationResult) error {
	ginkgo.By("writing the allocation of claim " + claim)
	return updateStatus(ctx, e, claim, func(status *resourceapi.ResourceClaimStatus) { status.Allocation = allocation })
}

// Deallocate removes the allocation and the reservations of a claim that no pod
// uses, as a scheduler does that needs it to be allocated elsewhere. The API server
// removes the status of its devices. Deallocate returns the error of the API server.
func Deallocate(ctx context.Context, e *env.Env, claim string) error {
	ginkgo.By("deallocating claim " + claim)
	return updateStatus(ctx, e, claim, func(status *resourceapi.ResourceClaimStatus) { status.Allocation, status.ReservedFor = nil, nil })
}

// updateStatus changes the status of a claim.
func updateStatus(ctx context.Context, e *env.Env, claim string, change func(*resourceapi.ResourceClaimStatus)) error {
	claims := e.Client.ResourceV1().ResourceClaims(e.Namespace)
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		got, err := claims.Get(ctx, claim, metav1.GetOptions{})
		if err != nil {
			return err
		}
		change(&got.Status)
		_, err = claims.UpdateStatus(ctx, got, metav1.UpdateOptions{})
		return err
	})
}

// ExpectNotAllocated asserts that a claim is not allocated for a while.
func ExpectNotAllocated(ctx context.Context, e *env.Env, claim, because string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("checking that claim %s is not allocated", claim))
	env.ExpectStable(ctx, e, func(ctx context.Context) (violation, checkErr error) {
		got, err := e.Client.ResourceV1().ResourceClaims(e.Namespace).Get(ctx, claim, metav1.GetOptions{})
		if err == nil && got.Status.Allocation != nil {
			violation = fmt.Errorf("claim %s was allocated %v", claim, audit.Allocated(got))
		}
		return violation, err
	}, "claim %s should not be allocated, because %s", claim, because)
}

// WaitForConsumers waits until an allocated claim is reserved for a number of
// consumers.
func WaitForConsumers(ctx context.Context, e *env.Env, claim, because string, want int) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until claim %s is reserved for %d consumers", claim, want))
	gomega.Eventually(ctx, func(ctx context.Context) ([]resourceapi.ResourceClaimConsumerReference, error) {
		got, err := e.Client.ResourceV1().ResourceClaims(e.Namespace).Get(ctx, claim, metav1.GetOptions{})
		if err == nil && got.Status.Allocation == nil {
			err = gomega.StopTrying(fmt.Sprintf("claim %s has been deallocated", claim))
		}
		if err != nil {
			return nil, err
		}
		return got.Status.ReservedFor, nil
	}).WithTimeout(e.Timeouts.PodStart).Should(gomega.HaveLen(want), "claim %s should be reserved for %d consumers, because %s", claim, want, because)
}
