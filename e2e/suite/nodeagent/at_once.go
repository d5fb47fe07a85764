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
	calls := operations.PluginCalls{Parallel: true}
	for _, claim := range all {
		calls.Calls = append(calls.Calls, []operations.PluginClaim{claim})
	}
	got := GetAnswers(ctx, e, p, operations.Prepare, calls)
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
