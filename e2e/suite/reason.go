// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"regexp"

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

// dump matches what Gomega prints of an error: a line with its type, its message, and
// its fields, which contain the message again. Gomega truncates large ones.
var dump = regexp.MustCompile(`(?m)^    <\*[\w.]+ \| 0x[0-9a-f]+>: *\n((?:.*\n)*?.*)\n    \{(?:.*\}|(?:\n     .*)*\n(?:    \}|(?:.*\n)+?Learn more here: .*\n?))$`)

// withoutDumps returns the message of a failure with only the messages of errors.
func withoutDumps(text string) string { return dump.ReplaceAllString(text, "$1") }

// message returns the message of a failure, with the value of a panic and with
// the state of a wait that timed out.
func message(f types.Failure) string {
	text := withoutDumps(f.Message)
	if f.ForwardedPanic != "" {
		text += ": " + f.ForwardedPanic
	}
	if f.AdditionalFailure != nil {
		text += "\n" + message(f.AdditionalFailure.Failure)
	}
	return text
}
