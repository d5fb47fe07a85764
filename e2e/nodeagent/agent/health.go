// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"google.golang.org/grpc"
	"google.golang.org/grpc/status"
	healthpb "k8s.io/kubelet/pkg/apis/dra-health/v1"
	healthpbv1alpha1 "k8s.io/kubelet/pkg/apis/dra-health/v1alpha1"

	"github.com/draconform/draconform/e2e/nodeagent/api"
)

// healthServices are the gRPC services for NodeWatchResources, newest first. The
// kubelet chooses in this order.
var healthServices = []string{healthpb.DRAResourceHealthService, healthpbv1alpha1.DRAResourceHealthService}

// health returns the first report about the health of a driver's devices. An
// error of the driver is in the report.
func (c Config) health(ctx context.Context, request api.HealthRequest) (api.HealthReport, error) {
	if err := validateTimeout(&request.Timeout); err != nil {
		return api.HealthReport{}, err
	}
	registration, err := c.find(ctx, request.Driver, request.Socket)
	if err != nil {
		return api.HealthReport{}, err
	}
	service, err := chooseHealthService(request.Service, registration)
	if err != nil || service == "" {
		return api.HealthReport{}, err
	}
	connection, err := dial(endpoint(registration))
	if err != nil {
		return api.HealthReport{}, err
	}
	defer func() { _ = connection.Close() }()
	ctx, cancel := context.WithTimeout(ctx, request.Timeout)
	defer cancel()
	report := api.HealthReport{Service: service}
	response, err := firstReport(ctx, connection, service)
	switch {
	case errors.Is(err, io.EOF):
		report.Code, report.Message = api.CodeOK, "the stream ended without a report"
	case err != nil:
		report.Code, report.Message = status.Code(err).String(), status.Convert(err).Message()
	}
	for _, device := range response.GetDevices() {
		report.Devices = append(report.Devices, api.DeviceHealth{
			Pool: device.GetDevice().GetPoolName(), Device: device.GetDevice().GetDeviceName(),
			Health: device.GetHealth().String(), Message: device.GetMessage(), LastUpdated: device.GetLastUpdatedTime(),
		})
	}
	return report, nil
}

func firstReport(ctx context.Context, connection *grpc.ClientConn, service string) (*healthpb.NodeWatchResourcesResponse, error) {
	var stream healthpb.DRAResourceHealth_NodeWatchResourcesClient
	var err error
	if service == healthpbv1alpha1.DRAResourceHealthService {
		wrapper := healthpb.V1Alpha1ClientWrapper{Client: healthpbv1alpha1.NewDRAResourceHealthClient(connection)}
		stream, err = wrapper.NodeWatchResources(ctx, &healthpb.NodeWatchResourcesRequest{})
	} else {
		stream, err = healthpb.NewDRAResourceHealthClient(connection).NodeWatchResources(ctx, &healthpb.NodeWatchResourcesRequest{})
	}
	if err != nil {
		return nil, err
	}
	return stream.Recv()
}

// chooseHealthService returns the requested service, or the newest one of the
// registration, or an empty string if there is none.
func chooseHealthService(requested string, registration api.Registration) (string, error) {
	if requested != "" && !slices.Contains(healthServices, requested) {
		return "", fmt.Errorf("%w: service %q is not known, only %q", api.ErrInvalid, requested, healthServices)
	}
	if requested != "" {
		return requested, nil
	}
	for _, service := range healthServices {
		if slices.Contains(registration.Versions, service) {
			return service, nil
		}
	}
	return "", nil
}
