// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"slices"

	"github.com/vishvananda/netlink"
	"sigs.k8s.io/knftables"
)

// protocol marks the routes of this daemon, so that it removes no others. The
// kernel leaves numbers from 5 on to routing daemons. No daemon that iproute2
// knows uses this number.
const protocol = 77

// kernelRoutes are the routes of the host's main table.
type kernelRoutes struct{}

func (kernelRoutes) replace(to *net.IPNet, via net.IP) error {
	return netlink.RouteReplace(&netlink.Route{Dst: to, Gw: via, Protocol: protocol})
}

func (kernelRoutes) prune(keep []*net.IPNet) error {
	filter := &netlink.Route{Protocol: protocol}
	ours, err := netlink.RouteListFiltered(netlink.FAMILY_V4, filter, netlink.RT_FILTER_PROTOCOL)
	if err != nil {
		return fmt.Errorf("list routes: %w", err)
	}
	for _, route := range ours {
		kept := slices.ContainsFunc(keep, func(k *net.IPNet) bool {
			return route.Dst != nil && route.Dst.String() == k.String()
		})
		if kept {
			continue
		}
		if err := netlink.RouteDel(&route); err != nil {
			return fmt.Errorf("remove the route to %s: %w", route.Dst, err)
		}
		slog.Info("removed a route", "to", route.Dst)
	}
	return nil
}

// masquerade configures source NAT to the node's address for traffic from pods
// to destinations outside of the pod subnet. Such destinations have no route to
// a pod.
func masquerade(ctx context.Context, podSubnet *net.IPNet) error {
	nft, err := knftables.New(knftables.IPv4Family, "podroutes")
	if err != nil {
		return fmt.Errorf("set up masquerading: %w", err)
	}
	tx := nft.NewTransaction()
	tx.Add(&knftables.Table{})
	tx.Flush(&knftables.Table{})
	tx.Add(&knftables.Chain{
		Name:     "postrouting",
		Type:     knftables.PtrTo(knftables.NATType),
		Hook:     knftables.PtrTo(knftables.PostroutingHook),
		Priority: knftables.PtrTo(knftables.SNATPriority),
	})
	tx.Add(&knftables.Rule{
		Chain: "postrouting",
		Rule:  knftables.Concat("ip saddr", podSubnet, "ip daddr !=", podSubnet, "masquerade"),
	})
	if err := nft.Run(ctx, tx); err != nil {
		return fmt.Errorf("set up masquerading: %w", err)
	}
	return nil
}
