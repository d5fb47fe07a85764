// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite/env"
)

// WaitForDeviceStatus returns the device statuses of a claim as soon as there is
// one of a driver, and none if the driver writes none in time.
func WaitForDeviceStatus(ctx context.Context, e *env.Env, claim, driver string) []resourceapi.AllocatedDeviceStatus {
	ginkgo.GinkgoHelper()
	ginkgo.By("waiting until claim " + claim + " has the status of a device")
	found, err := env.GetLast(ctx, e.Patience(driver, subject.DeviceStatus), func(ctx context.Context) ([]resourceapi.AllocatedDeviceStatus, error) {
		got, err := e.Client.ResourceV1().ResourceClaims(e.Namespace).Get(ctx, claim, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		return got.Status.Devices, nil
	}, func(found []resourceapi.AllocatedDeviceStatus) bool {
		return slices.ContainsFunc(found, func(s resourceapi.AllocatedDeviceStatus) bool { return s.Driver == driver })
	})
	gomega.Expect(err).NotTo(gomega.HaveOccurred(), "claim %s should be readable", claim)
	return found
}

// WaitForStatusOfEachDevice waits until a claim has the status of each of its
// devices, or shares of devices, of a driver. It asserts what
// [ExpectValidDeviceStatus] does.
func WaitForStatusOfEachDevice(ctx context.Context, e *env.Env, claim, driver string) {
	ginkgo.GinkgoHelper()
	waitForStatusOf(ctx, e, claim, func(r resourceapi.DeviceRequestAllocationResult) bool { return r.Driver == driver },
		fmt.Sprintf("driver %s should report the status of each of its devices of claim %s", driver, claim))
}

// WaitForStatusOfAllDevices waits until a claim has the status of each of its devices, of all
// drivers. It asserts what [ExpectValidDeviceStatus] does.
func WaitForStatusOfAllDevices(ctx context.Context, e *env.Env, claim, because string) {
	ginkgo.GinkgoHelper()
	waitForStatusOf(ctx, e, claim, func(resourceapi.DeviceRequestAllocationResult) bool { return true },
		fmt.Sprintf("claim %s should have the status of all of its devices, because %s", claim, because))
}

func waitForStatusOf(ctx context.Context, e *env.Env, claim string, which func(resourceapi.DeviceRequestAllocationResult) bool, why string) {
	ginkgo.GinkgoHelper()
	ginkgo.By("waiting until claim " + claim + " has the status of each of its devices")
	allocated := GetAllocation(ctx, e, claim)
	var want []string
	patience := e.Timeouts.Response
	for _, r := range allocated.Results {
		if which(r) {
			want = append(want, resultDevice(r))
			patience = max(patience, e.Patience(r.Driver, subject.DeviceStatus))
		}
	}
	var reported []resourceapi.AllocatedDeviceStatus
	gomega.Eventually(ctx, func(ctx context.Context) ([]string, error) {
		got, err := e.Client.ResourceV1().ResourceClaims(e.Namespace).Get(ctx, claim, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		reported = got.Status.Devices
		return describe(reported), nil
	}).WithTimeout(patience).Should(gomega.ContainElements(want), "%s", why)
	ExpectValidDeviceStatus(claim, allocated, reported)
}

// ExpectNoDeviceStatus asserts that a deallocated claim has no device statuses.
// The API server removes them in the same request as the allocation.
func ExpectNoDeviceStatus(ctx context.Context, e *env.Env, claim string) {
	ginkgo.GinkgoHelper()
	gomega.Expect(describe(GetDeviceStatus(ctx, e, claim))).To(gomega.BeEmpty(), "claim %s, which is deallocated, should not have the status of devices", claim)
}

// ExpectValidDeviceStatus asserts that device statuses of a claim are about
// devices that are allocated to it, each once, and that they are valid.
func ExpectValidDeviceStatus(claim string, allocated resourceapi.DeviceAllocationResult, reported []resourceapi.AllocatedDeviceStatus) {
	ginkgo.GinkgoHelper()
	var known []string
	for _, r := range allocated.Results {
		known = append(known, resultDevice(r))
	}
	seen := map[string]bool{}
	for _, status := range reported {
		device := statusDevice(status)
		gomega.Expect(known).To(gomega.ContainElement(device), "the device status of claim %s should be about devices that are allocated to it", claim)
		gomega.Expect(seen).NotTo(gomega.HaveKey(device), "claim %s should have one status of each device", claim)
		seen[device] = true
		gomega.Expect(checkDeviceStatus(status)).To(gomega.Succeed(), "the status of device %s in claim %s should be valid", device, claim)
	}
}

// ExpectTransitionTimesStay asserts that from one state of a claim to the next, the oldest first,
// the conditions of its devices keep their transition times unless their status changes. Each
// state counts: a condition that was false in between rightly has a new time.
func ExpectTransitionTimesStay(claim string, states []*resourceapi.ResourceClaim, despite string) {
	ginkgo.GinkgoHelper()
	for i := 1; i < len(states); i++ {
		gomega.Expect(changedTimes(states[i-1].Status.Devices, states[i].Status.Devices)).To(gomega.Succeed(), "the conditions of devices in claim %s should keep their transition times despite %s", claim, despite)
	}
}

// changedTimes returns an error if a condition with the same status has another
// transition time.
func changedTimes(before, now []resourceapi.AllocatedDeviceStatus) error {
	for _, earlier := range before {
		for _, status := range now {
			if statusDevice(earlier) != statusDevice(status) {
				continue
			}
			for _, condition := range earlier.Conditions {
				same := meta.FindStatusCondition(status.Conditions, condition.Type)
				if same != nil && same.Status == condition.Status && !same.LastTransitionTime.Equal(&condition.LastTransitionTime) {
					return fmt.Errorf("condition %s of device %s is %s since %s, and was so since %s before",
						condition.Type, statusDevice(status), condition.Status, same.LastTransitionTime, condition.LastTransitionTime)
				}
			}
		}
	}
	return nil
}

// checkDeviceStatus returns an error if a device status is not valid according
// to the API.
func checkDeviceStatus(status resourceapi.AllocatedDeviceStatus) error {
	errs := metav1validation.ValidateConditions(status.Conditions, field.NewPath("conditions"))
	if of := status.Data; of != nil && len(of.Raw) > 0 {
		var object map[string]any
		if err := json.Unmarshal(of.Raw, &object); err != nil {
			errs = append(errs, field.Invalid(field.NewPath("data"), string(of.Raw), "must be a JSON object"))
		}
	}
	if network := status.NetworkData; network != nil {
		for i, ip := range network.IPs {
			if _, err := netip.ParsePrefix(ip); err != nil {
				errs = append(errs, field.Invalid(field.NewPath("networkData", "ips").Index(i), ip, "must be an IP address with the length of its prefix"))
			}
		}
	}
	return errs.ToAggregate()
}

func describe(all []resourceapi.AllocatedDeviceStatus) []string {
	var names []string
	for _, status := range all {
		names = append(names, statusDevice(status))
	}
	return names
}

func statusDevice(s resourceapi.AllocatedDeviceStatus) string {
	return sharedDevice(s.Driver, s.Pool, s.Device, ptr.Deref(s.ShareID, ""))
}

func resultDevice(r resourceapi.DeviceRequestAllocationResult) string {
	return sharedDevice(r.Driver, r.Pool, r.Device, string(ptr.Deref(r.ShareID, "")))
}

func sharedDevice(driver, pool, device, share string) string {
	name := fmt.Sprintf("%s/%s/%s", driver, pool, device)
	if share != "" {
		name += " with share " + share
	}
	return name
}
