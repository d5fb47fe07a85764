// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// An auditor that waited after each view would see less of the cluster.
func TestOnlyNewAlarmsWaitForLateEvents(t *testing.T) {
	waits := 0
	// view returns a view of claims that are reserved although they are not allocated.
	view := func(second int64, reserved ...string) View {
		v := View{At: time.Unix(second, 0)}
		for _, name := range reserved {
			v.Claims = append(v.Claims, resourceapi.ResourceClaim{
				ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID(name)},
				Status:     resourceapi.ResourceClaimStatus{ReservedFor: []resourceapi.ResourceClaimConsumerReference{{Resource: "pods", Name: "pod", UID: "pod"}}},
			})
		}
		v.late = func(context.Context) View {
			waits++
			return v
		}
		return v
	}
	a := New(Config{})
	for _, test := range []struct {
		what          string
		view          View
		alarms, waits int
	}{
		{"an alarm at the first view, before which nothing can be late", view(0, "x"), 1, 0},
		{"the same alarm again", view(1, "x"), 0, 0},
		{"no alarm", view(2), 0, 0},
		{"a new alarm", view(3, "y"), 1, 1},
	} {
		g := NewWithT(t)
		waits = 0
		g.Expect(a.Audit(t.Context(), test.view)).To(HaveLen(test.alarms), test.what)
		g.Expect(waits).To(Equal(test.waits), test.what)
	}
}
