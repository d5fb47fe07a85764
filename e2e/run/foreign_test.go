// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"testing"

	. "github.com/onsi/gomega"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/draconform/draconform/e2e/subject"
)

// A class that existed before the run is not deleted with those of the run.
func TestOnlyOwnDeviceClassesAreDeleted(t *testing.T) {
	g := NewWithT(t)
	class := func(name string) resourcev1.DeviceClass {
		return resourcev1.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: name}}
	}
	existing := class("second")
	client := fake.NewClientset(&existing)
	f := &foreign{runner: &runner{plan: &plan{}, client: client}, of: subject.Subject{Classes: []resourcev1.DeviceClass{class("first"), class("second")}}}
	g.Expect(f.install(t.Context(), nil)).To(MatchError(ContainSubstring("create device class second of a driver file: ")))
	g.Expect(f.uninstall(t.Context())).To(Succeed())
	left, err := client.ResourceV1().DeviceClasses().List(t.Context(), metav1.ListOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(left.Items).To(ConsistOf(HaveField("Name", "second")))
}
