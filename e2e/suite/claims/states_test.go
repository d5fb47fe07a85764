// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
)

// A load balancer may end a watch that a spec needs until its end.
func TestWatchOfStatesGoesOnAfterItsEnd(t *testing.T) {
	g := NewWithT(t)
	state := func(version string, annotations map[string]string) *resourceapi.ResourceClaim {
		return &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "claim", ResourceVersion: version, Annotations: annotations}}
	}
	first, second := watch.NewFakeWithChanSize(2, false), watch.NewFakeWithChanSize(2, false)
	first.Modify(state("11", nil))
	first.Stop()
	second.Modify(state("12", nil))
	second.Modify(state("13", map[string]string{lastState: ""}))
	client := fake.NewClientset()
	var since []string
	client.PrependWatchReactor("resourceclaims", func(action clienttesting.Action) (bool, watch.Interface, error) {
		since = append(since, action.(clienttesting.WatchActionImpl).ListOptions.ResourceVersion)
		return true, second, nil
	})
	states, err := statesUntilLast(t.Context(), client.ResourceV1().ResourceClaims("ns"), "claim", "10", first)
	g.Expect(err).NotTo(HaveOccurred())
	var versions []string
	for _, s := range states {
		versions = append(versions, s.ResourceVersion)
	}
	g.Expect(versions).To(Equal([]string{"11", "12", "13"}))
	g.Expect(since).To(Equal([]string{"11"}), "it goes on where the first one ended")
}
