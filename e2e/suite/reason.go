// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
)

// reason returns the message of a failed spec: the last step, the message of
// the failure, and the messages of additional failures.
func reason(report ginkgo.SpecReport) string {
	text := message(report.Failure)
	if all := steps(report); len(all) > 0 {
		text = "while " + all[len(all)-1].Text + ": " + text
	}
	for _, more := range report.AdditionalFailures {
		text += "\n" + message(more.Failure)
	}
	return text
}

// steps returns the steps that a spec began.
func steps(report ginkgo.SpecReport) []Step {
	var all []Step
	for _, e := range report.SpecEvents.WithType(types.SpecEventByStart) {
		all = append(all, Step{Started: e.TimelineLocation.Time, Text: e.Message})
	}
	return all
}

// message returns the message of a failure, with the value of a panic and with
// the state of a wait that timed out.
func message(f types.Failure) string {
	text := f.Message
	if f.ForwardedPanic != "" {
		text += ": " + f.ForwardedPanic
	}
	if f.AdditionalFailure != nil {
		text += "\n" + message(f.AdditionalFailure.Failure)
	}
	return text
}
