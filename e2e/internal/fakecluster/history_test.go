// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster_test

import (
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
)

// A watch reports all changes since the list whose resource version it names, objects
// that exist no more among them.
func TestWatchContinuesAList(t *testing.T) {
	g := NewWithT(t)
	cluster, err := fakecluster.New(fakecluster.Options{})
	g.Expect(err).NotTo(HaveOccurred())
	client := cluster.Client().ResourceV1().ResourceSlices()
	create := func(name string) {
		slice := &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: name}}
		_, err := client.Create(t.Context(), slice, metav1.CreateOptions{})
		g.Expect(err).NotTo(HaveOccurred())
	}
	remove := func(name string) {
		g.Expect(client.Delete(t.Context(), name, metav1.DeleteOptions{})).To(Succeed())
	}
	create("before")
	list, err := client.List(t.Context(), metav1.ListOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	create("short")
	remove("short")
	remove("before")
	create("long")
	watch, err := client.Watch(t.Context(), metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	g.Expect(err).NotTo(HaveOccurred())
	remove("long")
	for _, want := range []string{"ADDED short", "DELETED short", "DELETED before", "ADDED long", "DELETED long"} {
		event := <-watch.ResultChan()
		g.Expect(fmt.Sprint(event.Type, " ", event.Object.(*resourceapi.ResourceSlice).Name)).To(Equal(want))
	}
}

// A watch from a version that is too old fails, so that the client lists again.
func TestWatchOfOldVersionExpires(t *testing.T) {
	g := NewWithT(t)
	cluster, err := fakecluster.New(fakecluster.Options{})
	g.Expect(err).NotTo(HaveOccurred())
	client := cluster.Client().ResourceV1().ResourceSlices()
	list, err := client.List(t.Context(), metav1.ListOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	for i := range 51 {
		slice := &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("slice-", i)}}
		_, err := client.Create(t.Context(), slice, metav1.CreateOptions{})
		g.Expect(err).NotTo(HaveOccurred())
	}
	_, err = client.Watch(t.Context(), metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	g.Expect(apierrors.IsResourceExpired(err)).To(BeTrue(), "%v", err)
}
