// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"cmp"
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	typedresourcev1 "k8s.io/client-go/kubernetes/typed/resource/v1"

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
	started, err := client.Watch(ctx, metav1.ListOptions{ResourceVersion: listed.ResourceVersion})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	return func() []*resourceapi.ResourceClaim {
		ginkgo.GinkgoHelper()
		mark := fmt.Sprintf(`{"metadata": {"annotations": {%q: ""}}}`, lastState)
		_, err := client.Patch(ctx, claim, types.MergePatchType, []byte(mark), metav1.PatchOptions{})
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		states, err := statesUntilLast(ctx, client, claim, listed.ResourceVersion, started)
		gomega.Expect(err).NotTo(gomega.HaveOccurred(), "the watch of claim %s should reach its last state", claim)
		return states
	}
}

// statesUntilLast returns the states of a claim in a watch that was started at a resource
// version, up to its last one. An API server, or what is in front of it, may end a watch at any
// time. It goes on with another one then.
func statesUntilLast(ctx context.Context, client typedresourcev1.ResourceClaimInterface, claim, version string, from watch.Interface) (states []*resourceapi.ResourceClaim, err error) {
	defer func() { from.Stop() }()
	for {
		select {
		case event, isOpen := <-from.ResultChan():
			if !isOpen {
				again, err := client.Watch(ctx, metav1.ListOptions{ResourceVersion: version})
				if err != nil {
					return nil, fmt.Errorf("watch the claims again: %w", err)
				}
				from = again
				continue
			}
			state, ok := event.Object.(*resourceapi.ResourceClaim)
			if !ok {
				return nil, apierrors.FromObject(event.Object)
			}
			version = cmp.Or(state.ResourceVersion, version)
			if state.Name != claim {
				continue
			}
			states = append(states, state)
			if _, last := state.Annotations[lastState]; last {
				return states, nil
			}
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}
