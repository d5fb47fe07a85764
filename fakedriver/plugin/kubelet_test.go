// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin_test

import (
	"context"
	"errors"
	"path/filepath"

	. "github.com/onsi/gomega"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"
	registerapi "k8s.io/kubelet/pkg/apis/pluginregistration/v1"
)

func (r *running) dial(socket string) *grpc.ClientConn {
	r.tb.Helper()
	connection, err := grpc.NewClient("unix:"+socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	r.g.Expect(err).NotTo(HaveOccurred())
	r.tb.Cleanup(func() { _ = connection.Close() })
	return connection
}

// registrar returns the path of the socket where the kubelet finds a driver.
func (r *running) registrar(driver string) string {
	if uid := r.config.PodUID; uid != "" {
		return filepath.Join(r.config.RegistryDir, kubeletplugin.RollingUpdateRegistrarSocketFile(r.config.RegistryDir, driver, uid))
	}
	return filepath.Join(r.config.RegistryDir, driver+"-reg.sock")
}

// register registers a driver as the kubelet does, and returns a connection to
// the socket of its service.
func (r *running) register(driver string) *grpc.ClientConn {
	r.tb.Helper()
	registry := registerapi.NewRegistrationClient(r.dial(r.registrar(driver)))
	info, err := registry.GetInfo(r.tb.Context(), &registerapi.InfoRequest{}, grpc.WaitForReady(true))
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(info.Type).To(Equal(registerapi.DRAPlugin))
	r.g.Expect(info.Name).To(Equal(driver))
	r.g.Expect(info.SupportedVersions).To(ConsistOf("v1.DRAPlugin", "v1beta1.DRAPlugin", "v1.DRAResourceHealth", "v1alpha1.DRAResourceHealth"))
	_, err = registry.NotifyRegistrationStatus(r.tb.Context(), &registerapi.RegistrationStatus{PluginRegistered: true})
	r.g.Expect(err).NotTo(HaveOccurred())
	return r.dial(info.Endpoint)
}

// kubelet calls a driver as the kubelet does, for one claim at a time.
type kubelet struct {
	g      *WithT
	client drapb.DRAPluginClient
}

func (r *running) kubelet(driver string) kubelet {
	r.tb.Helper()
	return kubelet{r.g, drapb.NewDRAPluginClient(r.register(driver))}
}

func reference(claim *resourceapi.ResourceClaim) *drapb.Claim {
	return &drapb.Claim{Namespace: claim.Namespace, Name: claim.Name, Uid: string(claim.UID)}
}

func (k kubelet) prepare(ctx context.Context, claim *resourceapi.ResourceClaim) ([]*drapb.Device, error) {
	response, err := k.client.NodePrepareResources(ctx, &drapb.NodePrepareResourcesRequest{Claims: []*drapb.Claim{reference(claim)}})
	if err != nil {
		return nil, err
	}
	answer := response.Claims[string(claim.UID)]
	k.g.Expect(answer).NotTo(BeNil())
	if answer.Error != "" {
		return nil, errors.New(answer.Error)
	}
	return answer.Devices, nil
}

func (k kubelet) unprepare(ctx context.Context, claim *resourceapi.ResourceClaim) error {
	response, err := k.client.NodeUnprepareResources(ctx, &drapb.NodeUnprepareResourcesRequest{Claims: []*drapb.Claim{reference(claim)}})
	if err != nil {
		return err
	}
	if answer := response.Claims[string(claim.UID)]; answer.Error != "" {
		return errors.New(answer.Error)
	}
	return nil
}
