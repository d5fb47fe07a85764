// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/draconform/draconform/e2e/nodeagent/api"
	"github.com/draconform/draconform/fakedriver/calls"
)

// PluginCall is a call of the node agent that has been answered.
type PluginCall struct {
	Driver, Service, Method string
	// Claims are the claims of the call.
	Claims []api.Claim
	// Parallel is set for calls at the same time, Number is the number of the
	// call in the request, from 0.
	Parallel bool
	Number   int
	Answer   *api.Answer
}

// Prepare calls NodePrepareResources of a driver.
func (a Agent) Prepare(_ context.Context, node string, request api.Calls) ([]api.Answer, error) {
	return a.call(calls.Prepare, node, request)
}

// Unprepare calls NodeUnprepareResources of a driver.
func (a Agent) Unprepare(_ context.Context, node string, request api.Calls) ([]api.Answer, error) {
	return a.call(calls.Unprepare, node, request)
}

func (a Agent) call(method, node string, request api.Calls) ([]api.Answer, error) {
	driver, unlock, err := a.registered(request.Driver, node)
	if err != nil {
		return nil, err
	}
	defer unlock()
	service := request.Service
	if service == "" {
		service = agentServices[0]
	}
	var answers []api.Answer
	for i, claims := range request.Calls {
		if service != agentServices[0] && method == calls.Unprepare && a.cluster.Mistakes.IgnoresOlderUnprepare {
			answers = append(answers, doneFor(service, claims))
			continue
		}
		if i > 0 && request.Parallel && method == calls.Unprepare {
			driver.remember(claims)
		}
		answer := driver.answer(request.Driver, method, claims, request.CancelAfter > 0)
		answer.Service = service
		if change := a.cluster.Mistakes.Misanswers; change != nil {
			change(&PluginCall{request.Driver, service, method, claims, request.Parallel, i, &answer})
		}
		answers = append(answers, answer)
	}
	return answers, nil
}

// answer answers a call. Every second call that is canceled is performed
// nevertheless.
func (d *Driver) answer(driver, method string, claims []api.Claim, isCanceled bool) api.Answer {
	mistakes := d.cluster.Mistakes
	if isCanceled {
		d.canceled++
		if mistakes.StaysBusy {
			d.busy = true
		}
		d.busyUnpreparing = d.busyUnpreparing || mistakes.StaysBusyUnpreparing && method == calls.Unprepare
		if d.canceled%2 == 0 {
			d.answer(driver, method, claims, false)
		}
		return api.Answer{Code: "Canceled", Message: "context canceled"}
	}
	if d.busy && method == calls.Prepare || d.busyUnpreparing && method == calls.Unprepare {
		return api.Answer{Code: "Aborted", Message: "another operation is in progress"}
	}
	answer := api.Answer{Code: api.CodeOK, Claims: map[string]api.ClaimAnswer{}}
	for _, claim := range claims {
		var one api.ClaimAnswer
		var err error
		if method == calls.Prepare {
			one.Devices, err = d.prepareFor(driver, claim)
		} else {
			err = d.unprepareFor(driver, claim)
		}
		if err != nil && method == calls.Prepare && mistakes.RollsBack {
			d.rollBack(driver, claims)
		}
		if err != nil && method == calls.Prepare && !d.cluster.RejectsClaims {
			// The helper for drivers in Kubernetes fails the whole call if it
			// cannot get a claim.
			return api.Answer{Code: "Unknown", Message: err.Error()}
		}
		if err != nil {
			one.Error = err.Error()
		}
		answer.Claims[claim.UID] = one
	}
	if d.cluster.RejectsTogether {
		rejectTogether(answer)
	}
	return answer
}

// doneFor is the answer of a driver that has succeeded for all claims of a call to unprepare
// them.
func doneFor(service string, claims []api.Claim) api.Answer {
	answer := api.Answer{Service: service, Code: api.CodeOK, Claims: map[string]api.ClaimAnswer{}}
	for _, claim := range claims {
		answer.Claims[claim.UID] = api.ClaimAnswer{}
	}
	return answer
}

// rollBack unprepares all claims of a call.
func (d *Driver) rollBack(driver string, claims []api.Claim) {
	for _, claim := range claims {
		_ = d.unprepareFor(driver, claim)
	}
}

// remember keeps the devices of claims that the driver is about to unprepare while it does
// so with others, if its next process has them again.
func (d *Driver) remember(claims []api.Claim) {
	if !d.cluster.Mistakes.RestartRevives {
		return
	}
	for _, claim := range claims {
		d.revived[types.UID(claim.UID)] = slices.Clone(d.devices[types.UID(claim.UID)])
	}
}

// rejectTogether replaces the answers for all claims by the error of one of them, if
// there is one.
func rejectTogether(answer api.Answer) {
	for _, failed := range answer.Claims {
		if failed.Error == "" {
			continue
		}
		for uid := range answer.Claims {
			answer.Claims[uid] = api.ClaimAnswer{Error: failed.Error}
		}
		return
	}
}
