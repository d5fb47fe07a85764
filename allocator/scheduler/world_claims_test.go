// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/draconform/draconform/allocator/scheduler/internal/statecheck"
)

// checkLedger fails if the plugin's allocated state differs from that of the manager, which may lag behind.
func (w *world) checkLedger() {
	if p, ours := w.plugin.(*Plugin); ours && w.checked {
		w.Eventually(func() error {
			return statecheck.Compare(func() (*structured.AllocatedState, error) { return p.AllocatedState(), nil }, w.manager.ResourceClaims().GatherAllocatedState)
		}).Should(Succeed())
	}
}

// claim returns a claim as stored in the API server.
func (w *world) claim(name string) *resourceapi.ResourceClaim {
	claim, err := w.client.ResourceV1().ResourceClaims("default").Get(w.ctx, name, metav1.GetOptions{})
	w.Expect(err).NotTo(HaveOccurred())
	return claim
}

// claims returns all claims in the API server.
func (w *world) claims() []resourceapi.ResourceClaim {
	list, err := w.client.ResourceV1().ResourceClaims("").List(w.ctx, metav1.ListOptions{})
	w.Expect(err).NotTo(HaveOccurred())
	return list.Items
}

// updateClaim updates a claim's status as another client and waits until the plugin can see it.
func (w *world) updateClaim(name string, change func(*resourceapi.ResourceClaim)) {
	claim := w.claim(name)
	change(claim)
	updated, err := w.client.ResourceV1().ResourceClaims(claim.Namespace).UpdateStatus(w.ctx, claim, metav1.UpdateOptions{})
	w.Expect(err).NotTo(HaveOccurred())
	w.Eventually(func() string { return w.seen(name).ResourceVersion }).Should(Equal(updated.ResourceVersion))
	w.checkLedger()
}

// seen returns a claim as the manager sees it.
func (w *world) seen(name string) *resourceapi.ResourceClaim {
	claim, err := w.manager.ResourceClaims().Get("default", name)
	w.Expect(err).NotTo(HaveOccurred())
	return claim
}

// devicesInUse returns the manager's allocated devices and shares. Devices have the form driver/pool/device.
func (w *world) devicesInUse() []string {
	var ids []string
	state := w.allocated()
	for id := range state.AllocatedDevices {
		ids = append(ids, id.String())
	}
	for id := range state.AllocatedSharedDeviceIDs {
		ids = append(ids, id.String())
	}
	return ids
}

// allocated returns the manager's state. The manager returns an error while it processes a change.
func (w *world) allocated() (state *structured.AllocatedState) {
	w.Eventually(func() (err error) {
		state, err = w.manager.ResourceClaims().GatherAllocatedState()
		return err
	}).Should(Succeed())
	return state
}

// awaitNoExtendedClaim waits until the plugin knows that the pod has no claim for extended resources any more. It
// creates another claim, so that all events of the pod's claim come before that of the new one.
func (w *world) awaitNoExtendedClaim(pod *corev1.Pod) {
	w.create(claimOf("later"))
	w.Eventually(func() (*resourceapi.ResourceClaim, error) { return w.ours().indices.extendedClaim(pod) }).Should(BeNil())
}
