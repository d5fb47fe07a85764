// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package diagnose

import (
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/draconform/draconform/allocator/state"
)

func TestListKeepsWhatIsPresent(t *testing.T) {
	g := NewWithT(t)
	objects := &state.Objects{}
	objects.Add(&resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: "mine", Labels: map[string]string{"from": "file"}}})
	client := fake.NewClientset(
		&resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: "slice"}},
		&resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "class"}},
		&resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "mine"}},
		&resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "other", Name: "mine"}},
		&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node"}},
	)
	notes, err := List(t.Context(), client, objects)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(notes).To(BeEmpty())
	g.Expect(objects.Slices).To(HaveLen(1))
	g.Expect(objects.Classes).To(HaveLen(1))
	g.Expect(objects.Nodes).To(HaveLen(1))
	g.Expect(objects.Claims).To(HaveLen(2))
	g.Expect(objects.Claims[0].Labels).To(HaveKeyWithValue("from", "file"))
	g.Expect(objects.Claims[1].Namespace).To(Equal("other"))
	for _, action := range client.Actions() {
		g.Expect(action.GetVerb()).To(BeElementOf("list", "get"), "discovery is a get")
	}
}
