// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"cmp"
	"context"
	"errors"

	"github.com/onsi/ginkgo/v2"

	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/guest"
	"github.com/draconform/draconform/e2e/suite/namespaces"
)

// enter sets the namespace of a spec, and waits until the devices that it needs
// are free. If they stay in use, the spec is not applicable. Without a guest,
// the spec gets a namespace of its own later.
func (s *Suite) enter(ctx context.Context, spec Spec, e *env.Env) error {
	host := s.options.Guest
	if host == nil {
		return nil
	}
	e.Guest = host.Info()
	namespace, err := host.Namespace(ctx)
	if errors.Is(err, guest.ErrUnclean) {
		s.skip(Skipped, "not run, because "+err.Error())
	}
	if err != nil {
		return err
	}
	e.Namespace = namespace
	needed := guest.Devices{Kinds: spec.Kinds, Fields: spec.Fields, Count: spec.Devices, Together: spec.OneNode}
	lacking, err := host.WaitForDevices(ctx, e, needed, s.options.Timeouts.PodStart)
	if lacking != "" {
		s.skip(NotApplicable, lacking)
	}
	return err
}

// left records the result of the removal of a spec's objects.
func (s *Suite) left(e *env.Env, err error) {
	switch {
	case s.options.Guest != nil:
		s.options.Guest.CleanedUp(err)
	case err == nil:
		s.awaitRemoval(e.Namespace)
	}
}

// fail handles the failure of an assertion. A failure for which neighbours of a
// guest or a lost API server are responsible says nothing about the driver, and one for
// which a webhook or a quota of the cluster is responsible says nothing about anything.
func (s *Suite) fail(run context.Context, message string, callerSkip ...int) {
	skip := 2
	if len(callerSkip) > 0 {
		skip += callerSkip[0]
	}
	if s.options.Watched {
		// What a spec sees of a component that has just ended is not the reason.
		awaitEnd(run)
	}
	// The run and the context of the spec may have ended, which is then why it fails.
	ctx := context.WithoutCancel(run)
	if s.options.Guest != nil {
		s.skipUnreached(ctx)
	}
	if s.current != nil {
		s.skipInconclusive(ctx, message)
	}
	ginkgo.Fail(message+s.componentNotes(ctx), skip)
}

// skipUnreached ends the spec if the API server does not answer, or did not until
// now. Without an API server, the run ends.
func (s *Suite) skipUnreached(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, s.options.Timeouts.Response)
	defer cancel()
	away, err := false, s.lost
	if err == nil {
		away, err = s.options.Guest.Reach(ctx)
	}
	switch {
	case err != nil:
		s.lost = err
		s.skip(Skipped, "not finished, because "+err.Error())
	case away:
		s.skip(NotApplicable, "not conclusive: the API server did not answer for a while")
	}
}

// skipInconclusive ends the spec if others in the cluster are responsible for a
// failure.
func (s *Suite) skipInconclusive(ctx context.Context, message string) {
	ctx, cancel := context.WithTimeout(ctx, s.options.Timeouts.Response)
	defer cancel()
	why := ""
	if host := s.options.Guest; host != nil {
		why = host.Rejected(message)
	}
	if why == "" {
		why = refused(message)
	}
	for _, excuse := range s.current.Excuses {
		why = cmp.Or(why, excuse(ctx))
	}
	if host := s.options.Guest; host != nil && why == "" {
		why = cmp.Or(host.Neighbours(ctx, s.current, message), host.Disrupted(ctx, s.current))
	}
	if why != "" {
		namespaces.DumpOrLog(ctx, s.current)
		s.skip(NotApplicable, "not conclusive: "+why)
	}
}

// skip ends the spec that Ginkgo runs with an outcome and its reason.
func (s *Suite) skip(outcome Outcome, reason string) {
	s.decided[ginkgo.CurrentSpecReport().LeafNodeText] = Result{Outcome: outcome, Reason: reason}
	ginkgo.Skip(reason)
}
