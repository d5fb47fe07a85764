// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"k8s.io/client-go/rest"
)

// ReadMetrics returns the metrics of a component, "scheduler" or
// "controller-manager", in the text format of Prometheus. It reads them as the
// administrator.
func (p *Provider) ReadMetrics(ctx context.Context, component string) ([]byte, error) {
	port, ok := map[string]int{"scheduler": p.ports.scheduler, "controller-manager": p.ports.controllerManager}[component]
	if !ok {
		return nil, fmt.Errorf("read the metrics of %s: its port is not known", component)
	}
	content, err := p.readMetrics(ctx, port)
	if err != nil {
		return nil, fmt.Errorf("read the metrics of the %s: %w", component, err)
	}
	return content, nil
}

func (p *Provider) readMetrics(ctx context.Context, port int) ([]byte, error) {
	config, err := readKubeconfig(p.kubeconfig)
	if err != nil {
		return nil, err
	}
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+address(port)+"/metrics", nil)
	if err != nil {
		return nil, err
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("GET %s: %s: %s", request.URL, response.Status, body)
	}
	return body, err
}
