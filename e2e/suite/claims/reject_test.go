// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"errors"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/draconform/draconform/e2e/suite/env"
)

// A driver writes the claim while the API server begins to enforce the policy.
func TestCheckRejected(t *testing.T) {
	g := NewWithT(t)
	claim := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: "claim", Namespace: "ns", ResourceVersion: "1"}}
	client := fake.NewSimpleClientset(claim)
	enforced := false
	client.PrependReactor("update", "resourceclaims", func(action clienttesting.Action) (bool, runtime.Object, error) {
		updated := action.(clienttesting.UpdateAction).GetObject().(*resourceapi.ResourceClaim)
		resource := resourceapi.Resource("resourceclaims")
		switch {
		case updated.ResourceVersion != claim.ResourceVersion:
			return true, nil, apierrors.NewConflict(resource, "claim", errors.New("the object has been modified"))
		case enforced:
			return true, nil, apierrors.NewForbidden(resource, "claim", errors.New("policy 'spec-1-claim' denied the request"))
		}
		return true, updated, nil
	})
	e := &env.Env{Client: client, Namespace: "ns"}
	g.Expect(checkRejected(t.Context(), e, "claim", "spec-1-claim")).To(MatchError("policy spec-1-claim is not enforced"))

	claim = claim.DeepCopy()
	claim.ResourceVersion = "2"
	g.Expect(client.Tracker().Update(resourceapi.SchemeGroupVersion.WithResource("resourceclaims"), claim, "ns")).To(Succeed())
	enforced = true
	g.Expect(checkRejected(t.Context(), e, "claim", "spec-1-claim")).To(Succeed())
}
