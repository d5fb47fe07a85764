// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package bindingconditions

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// The conditions of devices that a driver has to attach to a node and to
// configure.
const (
	attached   = "draconform.dev/attached"
	configured = "draconform.dev/configured"
	failed     = "draconform.dev/attaching-failed"
	misfit     = "draconform.dev/misfit"
)

// conditions are the conditions of a device by type, such as True.
type conditions = map[string]metav1.ConditionStatus

// ready are the conditions of a device that pods need not wait for any more.
var ready = conditions{attached: metav1.ConditionTrue, configured: metav1.ConditionTrue}

// fabric returns devices with these names that must be attached and configured
// before pods are bound.
func fabric(names ...string) *simulated.Inventory { return attachable(fixture.Devices(names...)) }

// attachable adds the conditions to all devices of an inventory. The conditions of failed
// devices are in another order for each second device.
func attachable(inventory *simulated.Inventory) *simulated.Inventory {
	for i := range inventory.Devices {
		inventory.Devices[i].BindingConditions = []string{attached, configured}
		inventory.Devices[i].BindingFailureConditions = []string{failed, misfit}
		if i%2 > 0 {
			inventory.Devices[i].BindingFailureConditions = []string{misfit, failed}
		}
	}
	return inventory
}

// report writes the conditions of the allocated devices of a claim, by the name
// of the device, as their driver does. Without any for a device, it writes none.
func report(ctx context.Context, e *env.Env, claim string, of map[string]conditions) {
	ginkgo.GinkgoHelper()
	var statuses []resourceapi.AllocatedDeviceStatus
	for _, result := range claims.GetAllocation(ctx, e, claim).Results {
		if len(of[result.Device]) > 0 {
			statuses = append(statuses, statusOf(result, of[result.Device]))
		}
	}
	gomega.Expect(claims.UpdateDeviceStatus(ctx, e, claim, statuses...)).To(gomega.Succeed(), "the API server should store the conditions of the devices of claim %s", claim)
}

// statusOf returns the status of an allocated device with conditions.
func statusOf(result resourceapi.DeviceRequestAllocationResult, of conditions) resourceapi.AllocatedDeviceStatus {
	status := resourceapi.AllocatedDeviceStatus{Driver: result.Driver, Pool: result.Pool, Device: result.Device, ShareID: (*string)(result.ShareID)}
	for _, name := range slices.Sorted(maps.Keys(of)) {
		status.Conditions = append(status.Conditions, metav1.Condition{
			Type: name, Status: of[name], Reason: "Simulated", Message: "the spec says so", LastTransitionTime: metav1.Now(),
		})
	}
	return status
}

// reportReady makes all devices of claims ready. A scheduler that has deallocated several claims
// of a pod allocates them again one after the other, so it waits for each.
func reportReady(ctx context.Context, e *env.Env, claimNames ...string) {
	ginkgo.GinkgoHelper()
	for _, claim := range claimNames {
		gomega.Eventually(ctx, func(ctx context.Context) (*resourceapi.AllocationResult, error) {
			got, err := e.Client.ResourceV1().ResourceClaims(e.Namespace).Get(ctx, claim, metav1.GetOptions{})
			if err != nil {
				return nil, err
			}
			return got.Status.Allocation, nil
		}).WithTimeout(e.Timeouts.PodStart).ShouldNot(gomega.BeNil(), "claim %s should be allocated", claim)
		of := map[string]conditions{}
		for _, result := range claims.GetAllocation(ctx, e, claim).Results {
			of[result.Device] = ready
		}
		report(ctx, e, claim, of)
	}
}

// expectWaiting asserts for a while that pods are not bound, and that their
// claims stay allocated. The keys are the names of the pods, and the values why
// they wait.
func expectWaiting(ctx context.Context, e *env.Env, because map[string]string) {
	ginkgo.GinkgoHelper()
	names := slices.Sorted(maps.Keys(because))
	ginkgo.By(fmt.Sprintf("checking that pods %v wait", names))
	// kube-scheduler reads the conditions every five seconds.
	env.ExpectStableFor(ctx, e, 2*e.Timeouts.Stable, func(ctx context.Context) (violation, checkErr error) {
		for _, name := range names {
			pod, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, name, metav1.GetOptions{})
			if err != nil {
				return nil, err
			}
			if pod.Spec.NodeName != "" {
				return fmt.Errorf("pod %s should wait, because %s: it was bound to node %s", name, because[name], pod.Spec.NodeName), nil
			}
			for _, claim := range pods.ClaimNames(pod) {
				got, err := e.Client.ResourceV1().ResourceClaims(e.Namespace).Get(ctx, claim, metav1.GetOptions{})
				if err != nil {
					return nil, err
				}
				if got.Status.Allocation == nil {
					return fmt.Errorf("pod %s should wait, because %s: its claim %s was deallocated", name, because[name], claim), nil
				}
			}
		}
		return nil, nil
	})
}

// waitForReallocated waits until a claim whose device has failed is deallocated, so that the API
// server drops the status of the device, and allocated again. Its pod must not be bound.
func waitForReallocated(ctx context.Context, e *env.Env, pod, claim string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until claim %s is allocated again", claim))
	gomega.Eventually(ctx, func(ctx context.Context) error {
		bound, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, pod, metav1.GetOptions{})
		if err == nil && bound.Spec.NodeName != "" {
			err = gomega.StopTrying(fmt.Sprintf("pod %s was bound to node %s", pod, bound.Spec.NodeName))
		}
		if err != nil {
			return err
		}
		got, err := e.Client.ResourceV1().ResourceClaims(e.Namespace).Get(ctx, claim, metav1.GetOptions{})
		if err == nil && (got.Status.Allocation == nil || len(got.Status.Devices) > 0) {
			err = fmt.Errorf("claim %s has not been allocated again", claim)
		}
		return err
	}).WithTimeout(e.Timeouts.PodStart).Should(gomega.Succeed(), "claim %s should be allocated again, because its device has failed", claim)
}
