// SPDX-License-Identifier: GPL-2.0-only
/*
 * The generic netlink family: requests about the driver, CPUs, contexts and statistics
 *
 * Owns the family and its multicast groups; base/notify.c sends the notifications. The requests
 * are read-only. Any user may request the driver and the CPUs. The holder of a counter is
 * reported with CAP_PERFMON only: it can be a process of another user, and the query creates a
 * perf event. A context that was configured without privileges is reported to the user that
 * configured it; with CAP_PERFMON every context is. The family exists in the initial network
 * namespace only.
 *
 * Locking (outermost first): cpus_read_lock(), pmc_claims_lock.
 * Context: task context. A request is answered in the sender's system call, the later
 * messages of a dump in the receiver's. The requester's rights are those at the request.
 */
#include <linux/capability.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/nospec.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <net/genetlink.h>
#include <net/sock.h>

#include "api/claim.h"
#include "api/netlink.h"
#include "base/netlink_attr.h"
#include "base/notify.h"
#include "compat/genl.h"
#include "pmu/pmu.h"
#include "sampling/pmi.h"
#include "sampling/ring.h"
#include "sampling/sample_config.h"
#include "target/context.h"
#include "target/scope_types.h"

/**
 * struct pmc_requester - the sender of a request
 * @privileged:	it has CAP_PERFMON
 * @uid:	its user
 * @users:	user namespace in which uids are reported to it
 * @pids:	pid namespace in which pids are reported to it; a dump holds a reference
 */
struct pmc_requester {
	bool privileged;
	kuid_t uid;
	struct user_namespace *users;
	struct pid_namespace *pids;
};

/**
 * struct pmc_dump - the progress of a dump, in netlink_callback.ctx
 * @requester:	the sender of the request
 * @next:	number of the first CPU or context not yet dumped
 */
struct pmc_dump {
	struct pmc_requester requester;
	u64 next;
};

static struct pmc_dump *pmc_dump_of(struct netlink_callback *cb)
{
	BUILD_BUG_ON(sizeof(struct pmc_dump) > sizeof(cb->ctx));
	return (struct pmc_dump *)cb->ctx;
}

/* Called in the system call that sends @request. */
static struct pmc_requester pmc_requester(struct sk_buff *request)
{
	return (struct pmc_requester){
		.privileged = netlink_capable(request, CAP_PERFMON) ||
			      netlink_capable(request, CAP_SYS_ADMIN),
		.uid = NETLINK_CREDS(request)->uid,
		.users = sk_user_ns(NETLINK_CB(request).sk),
		.pids = task_active_pid_ns(current),
	};
}

static bool pmc_may_see(const struct pmc_requester *requester, const struct pmc_context *context)
{
	const struct pmc_identity *identity = &context->identity;

	return requester->privileged ||
	       (uid_eq(requester->uid, identity->uid) && !identity->privileged);
}

static struct genl_family pmc_netlink_family;

/* These groups report the contexts of all users. */
#define PMC_GROUP_FLAGS_CONTEXT		GENL_MCAST_CAP_NET_ADMIN
#define PMC_GROUP_FLAGS_OVERFLOW	GENL_MCAST_CAP_NET_ADMIN
#define PMC_GROUP_FLAGS_THROTTLE	GENL_MCAST_CAP_NET_ADMIN
/* Any user can read the same in sysfs. */
#define PMC_GROUP_FLAGS_HOTPLUG		0
#define PMC_GROUP_FLAGS_PCE		0

static const struct genl_multicast_group pmc_netlink_groups[] = {
#define X(id, text, ...) \
	[PMC_NETLINK_GROUP_##id] = { .name = (text), .flags = PMC_GROUP_FLAGS_##id },
	PMC_NETLINK_GROUPS(X)
#undef X
};

/* ---- CPUs ---- */

static int pmc_put_holder(struct sk_buff *skb, int cpu, u32 counter)
{
	struct pmc_holder holder = {};
	u64 context;
	int err;

	err = pmc_claim_holder(cpu, counter, &holder, &context);
	if (err)
		return err;
	if (nla_put_u32(skb, PMC_NETLINK_A_HOLDER, holder.kind))
		return -EMSGSIZE;
	return context ? pmc_put_u64(skb, PMC_NETLINK_A_CONTEXT, context) : 0;
}

static int pmc_put_counter(struct sk_buff *skb, int cpu, u32 counter,
			   const struct pmc_requester *requester)
{
	const struct pmc_description *description = &per_cpu(pmc_pmus, cpu).description;
	struct nlattr *nest = nla_nest_start(skb, PMC_NETLINK_A_COUNTER);
	struct pmc_counter about = { .cpu = cpu };
	int err;

	if (!description->family ||
	    description->family->describe_counter(&description->query, counter, &about))
		return -EMSGSIZE;
	if (!nest || nla_put_u32(skb, PMC_NETLINK_A_NUMBER, counter) ||
	    nla_put_u32(skb, PMC_NETLINK_A_WIDTH, about.width))
		return -EMSGSIZE;
	err = requester->privileged ? pmc_put_holder(skb, cpu, counter) : 0;
	if (err)
		return err;
	nla_nest_end(skb, nest);
	return 0;
}

static int pmc_put_counters(struct sk_buff *skb, int cpu, const struct pmc_query *query,
			    const struct pmc_requester *requester)
{
	int err = 0;
	u32 i;

	for (i = 0; i < PMC_GENERAL_MAX && !err; i++) {
		if (query->general_counters & BIT_ULL(i))
			err = pmc_put_counter(skb, cpu, PMC_COUNTER_GENERAL(i), requester);
	}
	for (i = 0; i < PMC_FIXED_MAX && !err; i++) {
		if (query->fixed_counters & BIT_ULL(i))
			err = pmc_put_counter(skb, cpu, PMC_COUNTER_FIXED(i), requester);
	}
	return err;
}

static int pmc_put_processor(struct sk_buff *skb, const struct pmc_query *query)
{
	return nla_put_string(skb, PMC_NETLINK_A_VENDOR, query->vendor) ||
	       nla_put_u32(skb, PMC_NETLINK_A_FAMILY, query->family) ||
	       nla_put_u32(skb, PMC_NETLINK_A_CPU_FAMILY, query->cpu_family) ||
	       nla_put_u32(skb, PMC_NETLINK_A_CPU_MODEL, query->cpu_model) ||
	       nla_put_u32(skb, PMC_NETLINK_A_CPU_STEPPING, query->cpu_stepping) ||
	       nla_put_u32(skb, PMC_NETLINK_A_PERFMON_VERSION, query->perfmon_version) ||
	       pmc_put_u64(skb, PMC_NETLINK_A_FEATURES, query->features) ||
	       pmc_put_u64(skb, PMC_NETLINK_A_GENERAL_COUNTERS, query->general_counters) ||
	       pmc_put_u64(skb, PMC_NETLINK_A_FIXED_COUNTERS, query->fixed_counters) ||
	       nla_put_u32(skb, PMC_NETLINK_A_GENERAL_WIDTH, query->general_width) ||
	       nla_put_u32(skb, PMC_NETLINK_A_FIXED_WIDTH, query->fixed_width) ||
	       nla_put_u32(skb, PMC_NETLINK_A_TSC_KHZ, query->tsc_khz) ? -EMSGSIZE : 0;
}

/* cpus_read_lock() is held. */
static int pmc_put_cpu(struct sk_buff *skb, int cpu, const struct pmc_requester *requester)
{
	const struct pmc_query *query = &per_cpu(pmc_pmus, cpu).description.query;

	if (nla_put_u32(skb, PMC_NETLINK_A_CPU, cpu) ||
	    nla_put_u32(skb, PMC_NETLINK_A_STATUS, query->status))
		return -EMSGSIZE;
	if (query->status == PMC_STATUS_OFFLINE)
		return 0;
	if (pmc_put_processor(skb, query))
		return -EMSGSIZE;
	/* counters that cannot be used are reported in the masks only */
	return query->status == PMC_STATUS_OK ? pmc_put_counters(skb, cpu, query, requester) : 0;
}

/* ---- contexts ---- */

static int pmc_put_periods(struct sk_buff *skb, const struct pmc_program *program)
{
	struct nlattr *nest;
	u32 i;

	for (i = 0; i < program->nr; i++) {
		const struct pmc_counter_setup *entry = &program->setup[i];

		if (!entry->period)
			continue;
		nest = nla_nest_start(skb, PMC_NETLINK_A_COUNTER);
		if (!nest || nla_put_u32(skb, PMC_NETLINK_A_NUMBER, entry->rdpmc) ||
		    pmc_put_u64(skb, PMC_NETLINK_A_PERIOD, entry->period))
			return -EMSGSIZE;
		nla_nest_end(skb, nest);
	}
	return 0;
}

static int pmc_put_sampling(struct sk_buff *skb, const struct pmc_context *context)
{
	const struct pmc_rings *rings = context->sampling->rings;
	struct pmc_statistics statistics = {};

	pmc_rings_statistics(rings, &statistics);
	if (pmc_put_u64(skb, PMC_NETLINK_A_OVERFLOWS, pmc_rings_overflows(rings, -1)) ||
	    pmc_put_u64(skb, PMC_NETLINK_A_RECORDS, statistics.records) ||
	    pmc_put_u64(skb, PMC_NETLINK_A_SAMPLED, statistics.sampled) ||
	    pmc_put_u64(skb, PMC_NETLINK_A_LOST, statistics.lost) ||
	    pmc_put_u64(skb, PMC_NETLINK_A_THROTTLED, statistics.throttled) ||
	    pmc_put_u64(skb, PMC_NETLINK_A_MMAPS_LOST, statistics.mmaps_lost) ||
	    pmc_put_u64(skb, PMC_NETLINK_A_WAKEUPS, statistics.wakeups) ||
	    nla_put_u32(skb, PMC_NETLINK_A_THROTTLE_PERCENT,
			min(context->sampling->throttle_percent, pmc_claims_throttle_percent())) ||
	    nla_put_u32(skb, PMC_NETLINK_A_THROTTLED_NOW, pmc_rings_throttled_now(rings)))
		return -EMSGSIZE;
	return pmc_put_periods(skb, context->program);
}

/* cpus_read_lock() and pmc_claims_lock are held. */
static int pmc_put_context(struct sk_buff *skb, struct pmc_context *context,
			   const struct pmc_requester *requester)
{
	if (pmc_notify_put_identity(skb, &context->identity,
				    from_kuid_munged(requester->users, context->identity.uid),
				    pid_nr_ns(context->owner, requester->pids),
				    pid_nr_ns(context->target.pid, requester->pids)) ||
	    nla_put_u32(skb, PMC_NETLINK_A_STATE, context->ops->state(context)))
		return -EMSGSIZE;
	return context->sampling ? pmc_put_sampling(skb, context) : 0;
}

/* The context with this number, or NULL. pmc_claims_lock is held. */
static struct pmc_context *pmc_context_find(u64 id)
{
	struct pmc_context *context;

	list_for_each_entry(context, &pmc_contexts_announced, announced) {
		if (context->identity.id == id)
			return context;
		cond_resched();
	}
	return NULL;
}

/* ---- requests ---- */

/* Begin a reply; NULL if out of memory. */
static struct sk_buff *pmc_reply_begin(struct genl_info *info, void **header)
{
	struct sk_buff *skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);

	pmc_notify_update_listening();
	if (skb)
		*header = genlmsg_put_reply(skb, info, &pmc_netlink_family, 0,
					    info->genlhdr->cmd);
	return skb;
}

/* Send the reply, or free it after an error. */
static int pmc_reply_end(struct sk_buff *skb, void *header, struct genl_info *info, int err)
{
	if (err) {
		nlmsg_free(skb);
		return err;
	}
	genlmsg_end(skb, header);
	return genlmsg_reply(skb, info);
}

static int pmc_get_driver(struct sk_buff *request, struct genl_info *info)
{
	struct sk_buff *skb;
	void *header;
	int err;

	skb = pmc_reply_begin(info, &header);
	if (!skb)
		return -ENOMEM;
	err = nla_put_u32(skb, PMC_NETLINK_A_ABI_VERSION, PMC_ABI_VERSION) ||
	      nla_put_string(skb, PMC_NETLINK_A_MODULE_VERSION, THIS_MODULE->version) ||
	      nla_put_u32(skb, PMC_NETLINK_A_CONTEXTS, pmc_claims_count()) ? -EMSGSIZE : 0;
	return pmc_reply_end(skb, header, info, err);
}

static int pmc_request_cpu(struct genl_info *info)
{
	u32 cpu;

	if (GENL_REQ_ATTR_CHECK(info, PMC_NETLINK_A_CPU)) {
		GENL_SET_ERR_MSG(info, "the attribute CPU is missing");
		return -EINVAL;
	}
	cpu = nla_get_u32(info->attrs[PMC_NETLINK_A_CPU]);
	if (cpu >= nr_cpu_ids || !cpu_possible(cpu)) {
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[PMC_NETLINK_A_CPU],
				    "there is no such CPU");
		return -EINVAL;
	}
	return array_index_nospec(cpu, nr_cpu_ids);
}

static int pmc_get_cpu(struct sk_buff *request, struct genl_info *info)
{
	struct pmc_requester requester = pmc_requester(request);
	int cpu = pmc_request_cpu(info), err;
	struct sk_buff *skb;
	void *header;

	if (cpu < 0)
		return cpu;
	skb = pmc_reply_begin(info, &header);
	if (!skb)
		return -ENOMEM;
	cpus_read_lock();
	err = pmc_put_cpu(skb, cpu, &requester);
	cpus_read_unlock();
	return pmc_reply_end(skb, header, info, err);
}

/* cpus_read_lock() and pmc_claims_lock are held. */
static int pmc_put_requested_context(struct sk_buff *skb, struct genl_info *info,
				     const struct pmc_requester *requester)
{
	const struct nlattr *attribute = info->attrs[PMC_NETLINK_A_CONTEXT];
	u64 id = nla_get_u64(attribute);
	struct pmc_context *context;

	context = pmc_context_find(id);
	if (!context) {
		NL_SET_ERR_MSG_ATTR(info->extack, attribute, "there is no such context");
		return -ENOENT;
	}
	if (!pmc_may_see(requester, context)) {
		NL_SET_ERR_MSG_ATTR(info->extack, attribute,
				    "a context of another user, or configured with privileges, is reported only with CAP_PERFMON");
		return -EACCES;
	}
	return pmc_put_context(skb, context, requester);
}

static int pmc_get_context(struct sk_buff *request, struct genl_info *info)
{
	struct pmc_requester requester = pmc_requester(request);
	struct sk_buff *skb;
	void *header;
	int err;

	if (GENL_REQ_ATTR_CHECK(info, PMC_NETLINK_A_CONTEXT)) {
		GENL_SET_ERR_MSG(info, "the attribute CONTEXT is missing");
		return -EINVAL;
	}
	skb = pmc_reply_begin(info, &header);
	if (!skb)
		return -ENOMEM;
	cpus_read_lock();
	err = mutex_lock_killable(&pmc_claims_lock);
	if (!err) {
		err = pmc_put_requested_context(skb, info, &requester);
		mutex_unlock(&pmc_claims_lock);
	}
	cpus_read_unlock();
	return pmc_reply_end(skb, header, info, err);
}

static int pmc_put_group(struct sk_buff *skb, unsigned int group)
{
	const char *name = pmc_netlink_groups[group].name;
	struct nlattr *nest = nla_nest_start(skb, PMC_NETLINK_A_GROUP);
	struct pmc_notify_group_statistics statistics;

	pmc_notify_statistics(group, &statistics);
	if (!nest || nla_put_string(skb, PMC_NETLINK_A_GROUP_NAME, name) ||
	    pmc_put_u64(skb, PMC_NETLINK_A_SEQUENCE, statistics.sequence) ||
	    pmc_put_u64(skb, PMC_NETLINK_A_UNSENT, statistics.unsent))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int pmc_put_statistics(struct sk_buff *skb)
{
	unsigned int group;

	if (pmc_put_u64(skb, PMC_NETLINK_A_CONFIGURED, pmc_contexts_configured()) ||
	    pmc_put_u64(skb, PMC_NETLINK_A_SPURIOUS, pmc_pmi_spurious()))
		return -EMSGSIZE;
	for (group = 0; group < ARRAY_SIZE(pmc_netlink_groups); group++) {
		if (pmc_put_group(skb, group))
			return -EMSGSIZE;
	}
	return 0;
}

static int pmc_get_statistics(struct sk_buff *request, struct genl_info *info)
{
	struct sk_buff *skb;
	void *header;

	skb = pmc_reply_begin(info, &header);
	if (!skb)
		return -ENOMEM;
	return pmc_reply_end(skb, header, info, pmc_put_statistics(skb));
}

/* ---- dumps ---- */

static int pmc_dump_start(struct netlink_callback *cb)
{
	struct pmc_dump *dump = pmc_dump_of(cb);
	struct nlattr **attrs = pmc_dump_attrs(cb);
	unsigned int i;

	for (i = 0; attrs && i <= genl_dumpit_info(cb)->op.maxattr; i++) {
		if (attrs[i]) {
			NL_SET_ERR_MSG_ATTR(cb->extack, attrs[i], "a dump takes no attributes");
			return -EINVAL;
		}
	}
	pmc_notify_update_listening();
	dump->requester = pmc_requester(cb->skb);
	get_pid_ns(dump->requester.pids);
	dump->next = 0;
	return 0;
}

static int pmc_dump_done(struct netlink_callback *cb)
{
	put_pid_ns(pmc_dump_of(cb)->requester.pids);
	return 0;
}

/* Begin one message of a dump; NULL if @skb has no room. */
static void *pmc_dump_message(struct sk_buff *skb, struct netlink_callback *cb, u8 command)
{
	return genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
			   &pmc_netlink_family, NLM_F_MULTI, command);
}

static int pmc_dump_cpu(struct sk_buff *skb, struct netlink_callback *cb, int cpu)
{
	void *header = pmc_dump_message(skb, cb, PMC_NETLINK_GET_CPU);
	int err;

	err = header ? pmc_put_cpu(skb, cpu, &pmc_dump_of(cb)->requester) : -EMSGSIZE;
	if (err)
		genlmsg_cancel(skb, header);
	else
		genlmsg_end(skb, header);
	return err;
}

static int pmc_dump_cpus(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct pmc_dump *dump = pmc_dump_of(cb);
	unsigned int cpu;
	int err = 0;

	cpus_read_lock();
	for (cpu = cpumask_next((int)dump->next - 1, cpu_possible_mask); cpu < nr_cpu_ids;
	     cpu = cpumask_next(cpu, cpu_possible_mask)) {
		err = pmc_dump_cpu(skb, cb, cpu);
		if (err)
			break;
		dump->next = cpu + 1;
	}
	cpus_read_unlock();
	/* with a message in @skb, the dump continues in the next one */
	return skb->len ? skb->len : err;
}

static int pmc_dump_context(struct sk_buff *skb, struct netlink_callback *cb,
			    struct pmc_context *context)
{
	void *header = pmc_dump_message(skb, cb, PMC_NETLINK_GET_CONTEXT);

	if (!header || pmc_put_context(skb, context, &pmc_dump_of(cb)->requester)) {
		genlmsg_cancel(skb, header);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, header);
	return 0;
}

static int pmc_dump_contexts(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct pmc_dump *dump = pmc_dump_of(cb);
	struct pmc_context *context;
	int err;

	cpus_read_lock();
	err = mutex_lock_killable(&pmc_claims_lock);
	if (err)
		goto unlock_cpus;
	/* each message walks the list once and skips what earlier messages reported */
	list_for_each_entry(context, &pmc_contexts_announced, announced) {
		cond_resched();
		if (context->identity.id < dump->next || !pmc_may_see(&dump->requester, context))
			continue;
		err = pmc_dump_context(skb, cb, context);
		if (err)
			break;
		dump->next = context->identity.id + 1;
	}
	mutex_unlock(&pmc_claims_lock);
unlock_cpus:
	cpus_read_unlock();
	return skb->len ? skb->len : err;
}

/* ---- the family ---- */

/* No attribute is valid. Older kernels ignore the attributes of a command without a policy. */
static const struct nla_policy pmc_no_attributes[2] = {
	[1] = { .type = NLA_REJECT },
};

static const struct nla_policy pmc_cpu_policy[PMC_NETLINK_A_CPU + 1] = {
	[PMC_NETLINK_A_CPU] = { .type = NLA_U32 },
};

static const struct nla_policy pmc_context_policy[PMC_NETLINK_A_CONTEXT + 1] = {
	[PMC_NETLINK_A_CONTEXT] = { .type = NLA_U64 },
};

static const struct genl_ops pmc_netlink_ops[] = {
	{
		.cmd = PMC_NETLINK_GET_DRIVER,
		.doit = pmc_get_driver,
		.policy = pmc_no_attributes,
		.maxattr = ARRAY_SIZE(pmc_no_attributes) - 1,
	},
	{
		.cmd = PMC_NETLINK_GET_CPU,
		.doit = pmc_get_cpu,
		.start = pmc_dump_start,
		.dumpit = pmc_dump_cpus,
		.done = pmc_dump_done,
		.policy = pmc_cpu_policy,
		.maxattr = ARRAY_SIZE(pmc_cpu_policy) - 1,
	},
	{
		.cmd = PMC_NETLINK_GET_CONTEXT,
		.doit = pmc_get_context,
		.start = pmc_dump_start,
		.dumpit = pmc_dump_contexts,
		.done = pmc_dump_done,
		.policy = pmc_context_policy,
		.maxattr = ARRAY_SIZE(pmc_context_policy) - 1,
	},
	{
		.cmd = PMC_NETLINK_GET_STATISTICS,
		.doit = pmc_get_statistics,
		.policy = pmc_no_attributes,
		.maxattr = ARRAY_SIZE(pmc_no_attributes) - 1,
	},
};

static struct genl_family pmc_netlink_family = {
	.name = PMC_NETLINK_FAMILY,
	.version = PMC_NETLINK_VERSION,
	.parallel_ops = true,
	.ops = pmc_netlink_ops,
	.n_ops = ARRAY_SIZE(pmc_netlink_ops),
	.mcgrps = pmc_netlink_groups,
	.n_mcgrps = ARRAY_SIZE(pmc_netlink_groups),
	.module = THIS_MODULE,
};

/*
 * Any process can join a group by its number before a family has it, and its capability is not
 * checked then. Unregistering a family ends the membership in its groups. This one has the groups
 * alone, so no request can refer to the module, and another name, so no process confuses it with
 * the real one. The kernel gives the same numbers to the groups of the real one, unless another
 * family is registered in between.
 */
static int pmc_netlink_end_membership(void)
{
	struct genl_family groups = {
		.name = PMC_NETLINK_FAMILY "-groups",
		.version = PMC_NETLINK_VERSION,
		.mcgrps = pmc_netlink_groups,
		.n_mcgrps = ARRAY_SIZE(pmc_netlink_groups),
		.module = THIS_MODULE,
	};
	int err = genl_register_family(&groups);

	return err ? err : genl_unregister_family(&groups);
}

/**
 * pmc_netlink_init - register the family; from now on requests are answered
 *
 * Return: 0 or a negative errno.
 */
int pmc_netlink_init(void)
{
	int err;

	err = pmc_netlink_end_membership();
	if (err)
		return err;
	err = pmc_notify_init();
	if (err)
		return err;
	/* last, because a dump that has begun would refer to a module that is not loaded */
	err = genl_register_family(&pmc_netlink_family);
	if (err)
		pmc_notify_exit();
	else
		pmc_notify_start(&pmc_netlink_family);
	return err;
}

/**
 * pmc_netlink_exit - undo pmc_netlink_init(); no file is open any more
 */
void pmc_netlink_exit(void)
{
	pmc_notify_exit();
	genl_unregister_family(&pmc_netlink_family);
}
