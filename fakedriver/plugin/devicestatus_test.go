// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin_test

import (
	"errors"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
)

// startWithStatus starts a plugin that writes the status of devices.
func startWithStatus(t *testing.T, objects ...runtime.Object) *running {
	t.Helper()
	config, server := newConfig(t, objects...)
	config.DeviceStatus = true
	return startWith(t, config, server)
}

// statuses returns the device statuses of a claim in the API server.
func (r *running) statuses(claim *resourceapi.ResourceClaim) []resourceapi.AllocatedDeviceStatus {
	r.tb.Helper()
	got, err := r.server.Client.ResourceV1().ResourceClaims(claim.Namespace).Get(r.tb.Context(), claim.Name, metav1.GetOptions{})
	r.g.Expect(err).NotTo(HaveOccurred())
	return got.Status.Devices
}

// writes counts the requests that write the status of claims.
func (r *running) writes() int {
	count := 0
	for _, action := range r.server.Client.Actions() {
		if action.GetVerb() == "patch" && action.GetSubresource() == "status" {
			count++
		}
	}
	return count
}

func TestDeviceStatusIsWrittenOnce(t *testing.T) {
	claim := newClaim(driver, "gpu-0", "claim")
	r := startWithStatus(t, claim)
	kubelet := r.kubelet(driver)
	_, err := kubelet.prepare(t.Context(), claim)
	r.g.Expect(err).NotTo(HaveOccurred())
	written := r.statuses(claim)
	r.g.Expect(written).To(HaveLen(1))
	r.g.Expect(written[0]).To(And(HaveField("Driver", driver), HaveField("Pool", node), HaveField("Device", "gpu-0"), HaveField("ShareID", BeNil())))
	r.g.Expect(written[0].Conditions).To(HaveExactElements(And(HaveField("Type", "Ready"), HaveField("Status", metav1.ConditionTrue), HaveField("Reason", "Prepared"))))

	_, err = kubelet.prepare(t.Context(), claim)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(r.statuses(claim)).To(Equal(written))
	r.g.Expect(r.writes()).To(Equal(1), "a claim that has the status is not written again")
}

// A status that cannot be written does not keep a pod from its devices.
func TestDeviceStatusIsForbidden(t *testing.T) {
	claim := newClaim(driver, "gpu-0", "claim")
	r := startWithStatus(t, claim)
	r.server.Client.PrependReactor("patch", "resourceclaims", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, errors.New("resourceclaims/driver is forbidden")
	})
	devices, err := r.kubelet(driver).prepare(t.Context(), claim)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(devices).To(HaveLen(1))
	r.g.Expect(r.statuses(claim)).To(BeEmpty())
}

func TestWithoutDeviceStatus(t *testing.T) {
	claim := newClaim(driver, "gpu-0", "claim")
	r := start(t, claim)
	_, err := r.kubelet(driver).prepare(t.Context(), claim)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(r.writes()).To(BeZero())
}
