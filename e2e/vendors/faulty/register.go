// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	healthpb "k8s.io/kubelet/pkg/apis/dra-health/v1"
	registerapi "k8s.io/kubelet/pkg/apis/pluginregistration/v1"
)

// onRegister changes what the kubelet gets to know about the plugin.
func onRegister(change func(*registerapi.PluginInfo)) func(*config) error {
	return func(c *config) error {
		c.intercept(func(ctx context.Context, request any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
			response, err := next(ctx, request)
			if info, ok := response.(*registerapi.PluginInfo); ok && err == nil {
				change(info)
			}
			return response, err
		})
		return nil
	}
}

func registersOtherName(info *registerapi.PluginInfo) { info.Name = "other-" + info.Name }

func offersUnknownServices(info *registerapi.PluginInfo) {
	info.SupportedVersions = []string{"v1alpha3.DRAPlugin"}
}

// rejectsOlderServices offers older services and does not serve them.
func rejectsOlderServices(c *config) error {
	c.intercept(func(ctx context.Context, request any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		if strings.Contains(info.FullMethod, "v1beta1.DRAPlugin/") {
			return nil, status.Error(codes.Unimplemented, "not implemented")
		}
		return next(ctx, request)
	})
	return nil
}

// registersOnlyOnce does not register when it is started again.
func registersOnlyOnce(c *config) error {
	marker := filepath.Join(c.dataDir, "registered")
	file, err := os.OpenFile(marker, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		c.unregistered = true
		return nil
	case err != nil:
		return fmt.Errorf("remember the registration: %w", err)
	}
	return file.Close()
}

// failsToReportHealth offers a health service that fails.
func failsToReportHealth(c *config) error {
	c.streams = append(c.streams, func(any, grpc.ServerStream, *grpc.StreamServerInfo, grpc.StreamHandler) error {
		return status.Error(codes.Internal, "no sensors")
	})
	return nil
}

// reportsOtherDevice reports the health of a device that is not published.
func reportsOtherDevice(c *config) error {
	c.streams = append(c.streams, func(server any, stream grpc.ServerStream, _ *grpc.StreamServerInfo, next grpc.StreamHandler) error {
		return next(server, otherDevice{stream, c.node})
	})
	return nil
}

type otherDevice struct {
	grpc.ServerStream
	pool string
}

func (o otherDevice) SendMsg(message any) error {
	if report, ok := message.(*healthpb.NodeWatchResourcesResponse); ok {
		report.Devices = append(report.Devices, &healthpb.DeviceHealth{
			Device: &healthpb.DeviceIdentifier{PoolName: o.pool, DeviceName: "device-99"}, Health: healthpb.HealthStatus_HEALTHY,
		})
	}
	return o.ServerStream.SendMsg(message)
}

// reportsMilliseconds reports the health of devices with times in milliseconds.
func reportsMilliseconds(c *config) error {
	c.streams = append(c.streams, func(server any, stream grpc.ServerStream, _ *grpc.StreamServerInfo, next grpc.StreamHandler) error {
		return next(server, inMilliseconds{stream})
	})
	return nil
}

type inMilliseconds struct{ grpc.ServerStream }

func (m inMilliseconds) SendMsg(message any) error {
	if report, ok := message.(*healthpb.NodeWatchResourcesResponse); ok {
		for _, device := range report.Devices {
			device.LastUpdatedTime = time.Now().UnixMilli()
		}
	}
	return m.ServerStream.SendMsg(message)
}
