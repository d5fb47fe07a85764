// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeagent

import (
	"context"
	"fmt"
	"maps"

	"github.com/onsi/ginkgo/v2"

	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// WaitForPreparedAtOnce prepares claims by one call for each, all at the same time, as for
// pods that start together. Calls that failed are repeated one after the other. It returns
// the answers for each claim by its UID.
func WaitForPreparedAtOnce(ctx context.Context, e *env.Env, p Plugin, claims ...Claim) map[string]Answers {
	ginkgo.GinkgoHelper()
	all := references(claims)
	ginkgo.By(fmt.Sprintf("preparing %s by calls of %s at the same time", names(all), p))
	got := GetAnswers(ctx, e, p, operations.Prepare, atOnce(all))
	answers := map[string]Answers{}
	var failed []Claim
	for i, claim := range claims {
		if checkAnswer(got[i], all[i:i+1]) != nil {
			failed = append(failed, claim)
			continue
		}
		answers[claim.UID] = answersOf(got[i])
	}
	maps.Copy(answers, WaitForEachPrepared(ctx, e, p, failed...))
	return answers
}

// atOnce are calls for one claim each, all at the same time.
func atOnce(claims []operations.PluginClaim) operations.PluginCalls {
	calls := operations.PluginCalls{Parallel: true}
	for _, claim := range claims {
		calls.Calls = append(calls.Calls, []operations.PluginClaim{claim})
	}
	return calls
}

// UnprepareAtOnce unprepares claims by one call for each, all at the same time, as for pods
// that end together. Calls that failed are repeated one after the other.
func UnprepareAtOnce(ctx context.Context, e *env.Env, p Plugin, claims ...Claim) {
	ginkgo.GinkgoHelper()
	all := references(claims)
	ginkgo.By(fmt.Sprintf("unpreparing %s by calls of %s at the same time", names(all), p))
	for i, answer := range GetAnswers(ctx, e, p, operations.Unprepare, atOnce(all)) {
		if checkAnswer(answer, all[i:i+1]) != nil {
			WaitForUnprepared(ctx, e, p, all[i])
		}
	}
}

// WaitForEachPrepared prepares claims by one call for each, one after the other. It returns
// the answers for each claim by its UID.
func WaitForEachPrepared(ctx context.Context, e *env.Env, p Plugin, claims ...Claim) map[string]Answers {
	ginkgo.GinkgoHelper()
	answers := map[string]Answers{}
	for _, claim := range claims {
		answers[claim.UID] = WaitForPrepared(ctx, e, p, claim)
	}
	return answers
}
