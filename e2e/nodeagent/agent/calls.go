// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"
	drapbv1beta1 "k8s.io/kubelet/pkg/apis/dra/v1beta1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/nodeagent/api"
)

// services are the gRPC services for NodePrepareResources and
// NodeUnprepareResources that the agent knows.
var services = []string{drapb.DRAPluginService, drapbv1beta1.DRAPluginService}

// method is a method of the services. It returns the answers for the claims.
type method func(ctx context.Context, client pluginClient, claims []*drapb.Claim) (map[string]api.ClaimAnswer, error)

// pluginClient has the methods of all versions of the service.
type pluginClient interface {
	NodePrepareResources(context.Context, *drapb.NodePrepareResourcesRequest, ...grpc.CallOption) (*drapb.NodePrepareResourcesResponse, error)
	NodeUnprepareResources(context.Context, *drapb.NodeUnprepareResourcesRequest, ...grpc.CallOption) (*drapb.NodeUnprepareResourcesResponse, error)
}

func prepare(ctx context.Context, client pluginClient, claims []*drapb.Claim) (map[string]api.ClaimAnswer, error) {
	response, err := client.NodePrepareResources(ctx, &drapb.NodePrepareResourcesRequest{Claims: claims})
	if err != nil {
		return nil, err
	}
	answers := map[string]api.ClaimAnswer{}
	for uid, claim := range response.Claims {
		answer := api.ClaimAnswer{Error: claim.GetError()}
		for _, device := range claim.GetDevices() {
			answer.Devices = append(answer.Devices, api.Device{
				Requests: device.RequestNames, Pool: device.PoolName, Device: device.DeviceName,
				CDIDevices: device.CdiDeviceIds, ShareID: ptr.Deref(device.ShareId, ""),
			})
		}
		answers[uid] = answer
	}
	return answers, nil
}

func unprepare(ctx context.Context, client pluginClient, claims []*drapb.Claim) (map[string]api.ClaimAnswer, error) {
	response, err := client.NodeUnprepareResources(ctx, &drapb.NodeUnprepareResourcesRequest{Claims: claims})
	if err != nil {
		return nil, err
	}
	answers := map[string]api.ClaimAnswer{}
	for uid, claim := range response.Claims {
		answers[uid] = api.ClaimAnswer{Error: claim.GetError()}
	}
	return answers, nil
}

// call makes the calls of a request. Errors of calls are in their answers.
func (c Config) call(ctx context.Context, do method, request api.Calls) ([]api.Answer, error) {
	if err := validateCalls(&request); err != nil {
		return nil, err
	}
	registration, err := c.find(ctx, request.Driver, request.Socket)
	if err != nil {
		return nil, err
	}
	service, err := chooseService(request.Service, registration, services)
	if err != nil {
		return nil, err
	}
	connection, err := dial(endpoint(registration))
	if err != nil {
		return nil, err
	}
	defer func() { _ = connection.Close() }()
	var client pluginClient = drapb.NewDRAPluginClient(connection)
	if service == drapbv1beta1.DRAPluginService {
		client = drapbv1beta1.V1Beta1ClientWrapper{DRAPluginClient: drapbv1beta1.NewDRAPluginClient(connection)}
	}
	answers := make([]api.Answer, len(request.Calls))
	var wait sync.WaitGroup
	for i, claims := range request.Calls {
		one := func() {
			answers[i] = callOnce(ctx, do, client, claims, request.Timeout, request.CancelAfter)
			answers[i].Socket, answers[i].Service = registration.Socket, service
		}
		if request.Parallel {
			wait.Go(one)
		} else {
			one()
		}
	}
	wait.Wait()
	return answers, nil
}

func callOnce(ctx context.Context, do method, client pluginClient, claims []api.Claim, timeout, cancelAfter time.Duration) api.Answer {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if cancelAfter > 0 {
		timer := time.AfterFunc(cancelAfter, cancel)
		defer timer.Stop()
	}
	var all []*drapb.Claim
	for _, claim := range claims {
		all = append(all, &drapb.Claim{Namespace: claim.Namespace, Name: claim.Name, Uid: claim.UID})
	}
	start := time.Now()
	answers, err := do(ctx, client, all)
	answer := api.Answer{Code: codes.OK.String(), Duration: time.Since(start), Claims: answers}
	if err != nil {
		answer.Code, answer.Message = status.Code(err).String(), status.Convert(err).Message()
	}
	return answer
}

func validateCalls(request *api.Calls) error {
	if len(request.Calls) == 0 || len(request.Calls) > api.MaxCalls {
		return fmt.Errorf("%w: %d calls, want 1 to %d", api.ErrInvalid, len(request.Calls), api.MaxCalls)
	}
	for _, claims := range request.Calls {
		if len(claims) > api.MaxClaims {
			return fmt.Errorf("%w: a call with %d claims, want at most %d", api.ErrInvalid, len(claims), api.MaxClaims)
		}
	}
	if request.CancelAfter < 0 {
		return fmt.Errorf("%w: calls cannot be canceled after %s", api.ErrInvalid, request.CancelAfter)
	}
	return validateTimeout(&request.Timeout)
}

func validateTimeout(timeout *time.Duration) error {
	if *timeout == 0 {
		*timeout = api.DefaultTimeout
	}
	if *timeout < 0 || *timeout > api.MaxTimeout {
		return fmt.Errorf("%w: the time limit %s is not between 0 and %s", api.ErrInvalid, *timeout, api.MaxTimeout)
	}
	return nil
}

// chooseService returns the requested service, or the one that a kubelet uses:
// the first one of the registration that is known. A requested service need not
// be in the registration.
func chooseService(requested string, registration api.Registration, known []string) (string, error) {
	if requested != "" {
		if !slices.Contains(known, requested) {
			return "", fmt.Errorf("%w: service %q is not known, only %q", api.ErrInvalid, requested, known)
		}
		return requested, nil
	}
	for _, service := range registration.Versions {
		if slices.Contains(known, service) {
			return service, nil
		}
	}
	return "", fmt.Errorf("driver %s has registered the services %q at socket %s, and none of %q", registration.Name, registration.Versions, registration.Socket, known)
}
