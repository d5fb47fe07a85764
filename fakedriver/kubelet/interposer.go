// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package kubelet stands between the kubelet and a driver. It makes of the
// kubelet's calls, and of the driver's answers, what another kubelet would make of
// them: one with a fault, or one that is right and differs from the real one.
// Otherwise it changes nothing.
package kubelet

import (
	"context"
	"sync"

	"google.golang.org/grpc"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"

	"github.com/draconform/draconform/internal/fault"
	"github.com/draconform/draconform/internal/variant"
)

// Interposer is the other kubelet, as one driver of the node knows it. Its zero
// value is ready to use. It is safe for concurrent use.
type Interposer struct {
	mu sync.Mutex
	// prepared are the claims that the driver has prepared, by their UIDs.
	prepared map[string]*drapb.Claim
	// failed has the errors of claims that the driver failed to prepare.
	failed map[string]error
	// given are the first answers for claims, by their names or UIDs.
	given map[string]*drapb.NodePrepareResourceResponse
}

// Intercept returns an interceptor of the driver's calls. next, which logs them,
// gets those of the other kubelet. Calls of older versions of the service, which
// kubelets of supported releases do not make, stay as they are.
func (i *Interposer) Intercept(next grpc.UnaryServerInterceptor) grpc.UnaryServerInterceptor {
	return func(ctx context.Context, request any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
		d := driver{next: next, info: info, handler: handler}
		switch r := request.(type) {
		case *drapb.NodePrepareResourcesRequest:
			answers, err := i.prepare(ctx, d, r.Claims)
			return &drapb.NodePrepareResourcesResponse{Claims: answers}, err
		case *drapb.NodeUnprepareResourcesRequest:
			answers, err := i.unprepare(ctx, d, r.Claims)
			return &drapb.NodeUnprepareResourcesResponse{Claims: answers}, err
		}
		return next(ctx, request, info, handler)
	}
}

// Registered is called when a kubelet has registered the driver. It may be another
// process than the one before.
func (i *Interposer) Registered() {
	if fault.ForgetsClaimsAtRestart {
		i.forget(nil)
	}
}

func (i *Interposer) prepare(ctx context.Context, d driver, claims []*drapb.Claim) (map[string]*drapb.NodePrepareResourceResponse, error) {
	switch {
	case fault.CallsForFirstClaimOnly:
		answers, err := d.prepare(ctx, claims[:1])
		return withoutErrors(answers, claims[1:], &drapb.NodePrepareResourceResponse{}), err
	case fault.CallsForEachClaim:
		return d.prepareEach(ctx, claims)
	case fault.NeverRepeatsPrepare:
		return i.prepareOnce(ctx, d, claims)
	case fault.CallsForClaimsOfOtherPods:
		answers, err := d.prepare(ctx, i.withOthers(claims))
		if err == nil {
			i.remember(claims)
		}
		return ofClaims(answers, claims), err
	case fault.IgnoresFailedPrepare:
		answers, _ := d.prepare(ctx, claims)
		return withoutErrors(answers, claims, &drapb.NodePrepareResourceResponse{}), nil
	}
	answers, err := d.prepare(ctx, claims)
	if fault.ForgetsFailedClaims {
		i.recordFailures(claims, answers, err)
	}
	if err != nil {
		return answers, err
	}
	switch {
	case variant.RepeatsCalls:
		return d.prepare(ctx, claims)
	case fault.UnpreparesTooEarly:
		_, err = d.unprepare(ctx, claims)
	case fault.UnpreparesClaimsOfOtherPods, fault.ForgetsClaimsAtRestart:
		i.remember(claims)
	case fault.GivesFirstDeviceOnly:
		giveFirstDevice(answers)
	case fault.MixesUpRequests:
		mixUpRequests(answers)
	case fault.IgnoresErrorsOfLaterClaims:
		answers = withoutErrors(answers, claims[1:], &drapb.NodePrepareResourceResponse{})
	case fault.ComparesRequestsByPrefix:
		giveByPrefix(answers)
	case fault.MixesUpClaims:
		mixUpClaims(answers, claims)
	case fault.IgnoresNamespaces:
		i.giveFirst(answers, claims, (*drapb.Claim).GetName)
	case fault.KeepsFirstDevices:
		i.giveFirst(answers, claims, (*drapb.Claim).GetUid)
	case fault.ComparesRequestsOnly:
		giveByRequest(answers)
	case fault.IgnoresDevicesOfAllRequests:
		dropWithoutRequests(answers)
	case fault.StoresAnotherPool:
		nameAnotherPool(answers)
	case fault.DropsShares:
		dropShareIDs(answers)
	case fault.RejectsBareDevices:
		rejectWithoutCDIDevices(answers)
	}
	return answers, err
}

func (i *Interposer) unprepare(ctx context.Context, d driver, claims []*drapb.Claim) (map[string]*drapb.NodeUnprepareResourceResponse, error) {
	done := &drapb.NodeUnprepareResourceResponse{}
	switch {
	case fault.NeverUnprepares:
		return withoutErrors(nil, claims, done), nil
	case fault.CallsForOtherClaims:
		_, err := d.unprepare(ctx, withOtherUIDs(claims))
		return withoutErrors(nil, claims, done), err
	case fault.UnpreparesClaimsOfOtherPods:
		answers, err := d.unprepare(ctx, i.forget(claims))
		return ofClaims(answers, claims), err
	case fault.ForgetsClaimsAtRestart:
		known := i.known(claims)
		if len(known) == 0 {
			return withoutErrors(nil, claims, done), nil
		}
		answers, err := d.unprepare(ctx, known)
		return withoutErrors(answers, claims, done), err
	case fault.ForgetsFailedClaims:
		return i.unprepareSucceeded(ctx, d, claims)
	case fault.IgnoresFailedUnprepare:
		_, _ = d.unprepare(ctx, claims)
		return withoutErrors(nil, claims, done), nil
	}
	answers, err := d.unprepare(ctx, claims)
	switch {
	case err != nil:
	case fault.IgnoresErrorsOfLaterUnprepares:
		answers = withoutErrors(answers, claims[1:], done)
	case fault.CallsForClaimsOfOtherPods:
		i.drop(claims)
	case fault.PreparesAfterUnprepare:
		_, err = d.prepare(ctx, claims)
	case variant.RepeatsCalls:
		return d.unprepare(ctx, claims)
	}
	return answers, err
}
