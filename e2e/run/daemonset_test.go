// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"errors"
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
)

const updatableFile = daemonSetFile + "allow: {update: {image: registry.example.com/plugin:next}}\n"

// Every other update changes the image back. If that fails, the driver of the cluster's
// owner must not keep the image of the run.
func TestRestoreImageAfterAFailedUpdate(t *testing.T) {
	g := NewWithT(t)
	f, client := foreignDriver(t, updatableFile, 1)
	f.changed = map[string]*imageChange{}
	sets := client.AppsV1().DaemonSets("gpus")
	set, err := sets.Get(t.Context(), "plugin", metav1.GetOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	set.Spec.Template.Spec.Containers[1].Image = "registry.example.com/plugin:first"
	_, err = sets.Update(t.Context(), set, metav1.UpdateOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	image := func() string {
		set, err := sets.Get(t.Context(), "plugin", metav1.GetOptions{})
		g.Expect(err).NotTo(HaveOccurred())
		return set.Spec.Template.Spec.Containers[1].Image
	}

	g.Expect(f.Update(t.Context(), "gpu.example.com")).To(Succeed())
	g.Expect(image()).To(Equal("registry.example.com/plugin:next"))
	refuse := true
	client.PrependReactor("patch", "daemonsets", func(clienttesting.Action) (bool, runtime.Object, error) {
		return refuse, nil, errors.New("the API server is gone")
	})
	g.Expect(f.Update(t.Context(), "gpu.example.com")).To(MatchError(ContainSubstring("the API server is gone")))
	g.Expect(image()).To(Equal("registry.example.com/plugin:next"))

	refuse = false
	g.Expect(f.restore(t.Context())).To(Succeed())
	g.Expect(image()).To(Equal("registry.example.com/plugin:first"))
}
