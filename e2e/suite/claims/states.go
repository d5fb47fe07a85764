// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/draconform/draconform/e2e/suite/env"
)

// lastState is an annotation of the last state of a claim that [WatchStates] returns.
const lastState = "draconform.dev/last-state"

// WatchStates watches a claim from now on. The returned function ends the watch and returns
// the states that the claim has had since then, the oldest first.
func WatchStates(ctx context.Context, e *env.Env, claim string) func() []*resourceapi.ResourceClaim {
	ginkgo.GinkgoHelper()
	ginkgo.By("watching claim " + claim)
	client := e.Client.ResourceV1().ResourceClaims(e.Namespace)
	listed, err := client.List(ctx, metav1.ListOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	watch, err := client.Watch(ctx, metav1.ListOptions{ResourceVersion: listed.ResourceVersion})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	return func() (states []*resourceapi.ResourceClaim) {
		ginkgo.GinkgoHelper()
		defer watch.Stop()
		mark := fmt.Sprintf(`{"metadata": {"annotations": {%q: ""}}}`, lastState)
		_, err := client.Patch(ctx, claim, types.MergePatchType, []byte(mark), metav1.PatchOptions{})
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		for {
			select {
			case event := <-watch.ResultChan():
				state, ok := event.Object.(*resourceapi.ResourceClaim)
				gomega.Expect(ok).To(gomega.BeTrue(), "the watch of claim %s should reach its last state, not %v", claim, event)
				if state.Name != claim {
					continue
				}
				states = append(states, state)
				if _, last := state.Annotations[lastState]; last {
					return states
				}
			case <-ctx.Done():
				gomega.Expect(context.Cause(ctx)).NotTo(gomega.HaveOccurred(), "the watch of claim %s should reach its last state", claim)
			}
		}
	}
}
