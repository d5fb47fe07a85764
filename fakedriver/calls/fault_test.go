// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package calls_test

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/fakedriver/calls"
)

func TestFaultsAreAppliedInOrder(t *testing.T) {
	g := NewWithT(t)
	var recorder calls.Recorder
	g.Expect(recorder.Inject(calls.Fault{Method: calls.Prepare, Action: calls.Fail, Count: 2, Message: "first"})).To(Succeed())
	g.Expect(recorder.Inject(calls.Fault{Method: calls.Unprepare, Action: calls.Fail, Count: 1, Message: "unprepare"})).To(Succeed())
	g.Expect(recorder.Inject(calls.Fault{Method: calls.Prepare, Action: calls.Fail, Count: 1, Message: "second"})).To(Succeed())

	for _, message := range []string{"first", "first", "second"} {
		_, err := recorder.Intercept(t.Context(), request("a"), prepare, func(context.Context, any) (any, error) {
			t.Error("a call that fails must not be handled")
			return nil, nil
		})
		g.Expect(err).To(MatchError(message))
	}
	_, err := recorder.Intercept(t.Context(), request("a"), prepare, ok)
	g.Expect(err).NotTo(HaveOccurred())
	_, err = recorder.Intercept(t.Context(), nil, unprepare, ok)
	g.Expect(err).To(MatchError("unprepare"))

	log := recorder.Calls(0)
	g.Expect(log[0].Fault).To(Equal(calls.Fail))
	g.Expect(log[0].Error).To(Equal("first"))
	g.Expect(log[0].Claims).To(HaveLen(1))
	g.Expect(log[3].Fault).To(BeEmpty())
}

// Guards that a client which got no answer can repeat its request, also when the fault is
// gone.
func TestFaultIsInjectedOnce(t *testing.T) {
	g := NewWithT(t)
	var recorder calls.Recorder
	inject := func(ids ...string) {
		for _, id := range ids {
			g.Expect(recorder.Inject(calls.Fault{Method: calls.Prepare, Action: calls.Fail, Count: 1, Message: id, ID: id})).To(Succeed())
		}
	}
	// failures are the errors of calls until one succeeds.
	failures := func() (all []string) {
		for {
			_, err := recorder.Intercept(t.Context(), request("a"), prepare, ok)
			if err == nil {
				return all
			}
			all = append(all, err.Error())
		}
	}
	inject("one", "one", "two", "one")
	g.Expect(failures()).To(Equal([]string{"one", "two"}))
	inject("one", "three")
	g.Expect(failures()).To(Equal([]string{"three"}))
	inject("four")
	recorder.Release()
	inject("four", "five")
	g.Expect(failures()).To(Equal([]string{"five"}))

	// Requests without an ID are different ones.
	for range 2 {
		g.Expect(recorder.Inject(calls.Fault{Method: calls.Prepare, Action: calls.Fail, Count: 1, Message: "again"})).To(Succeed())
	}
	g.Expect(failures()).To(Equal([]string{"again", "again"}))
}

func TestFaultsAreValidated(t *testing.T) {
	second := metav1.Duration{Duration: time.Second}
	for _, test := range []struct {
		fault   calls.Fault
		message string
	}{
		{calls.Fault{Method: "GetInfo", Action: calls.Hang, Count: 1}, `method "GetInfo" cannot have faults`},
		{calls.Fault{Method: calls.Prepare, Action: calls.Hang}, "count must be at least 1, not 0"},
		{calls.Fault{Method: calls.Prepare, Action: "Explode", Count: 1}, `action "Explode" is not known`},
		{calls.Fault{Method: calls.Prepare, Action: calls.Fail, Count: 1}, "cannot fail without a message"},
		{calls.Fault{Method: calls.Prepare, Action: calls.Delay, Count: 1}, "delay must be more than 0"},
		{calls.Fault{Method: calls.Prepare, Action: calls.Delay, Count: 1, Delay: metav1.Duration{Duration: time.Hour}}, "at most 10m0s, not 1h0m0s"},
		{calls.Fault{Method: calls.Prepare, Action: calls.Delay, Count: 1, Delay: second}, ""},
	} {
		g := NewWithT(t)
		var recorder calls.Recorder
		err := recorder.Inject(test.fault)
		if test.message == "" {
			g.Expect(err).NotTo(HaveOccurred())
			continue
		}
		g.Expect(err).To(MatchError(ContainSubstring(test.message)))
	}
}
