// SPDX-License-Identifier: GPL-2.0-only
/*
 * The generic netlink family: questions about the driver, CPUs and contexts
 *
 * A door beside device.c: it changes nothing. Owns the family. Anybody may ask
 * about the driver and the CPUs; who holds a counter needs CAP_PERFMON, because
 * finding out takes perf's reservation for a moment; a context is told to the
 * user who configured it and to those with CAP_PERFMON. The family is seen in
 * the first network namespace only.
 *
 * Task context: questions are answered in the caller's system call, the later
 * intervals of a dump in that of who reads it. Who asked is found out once, when the
 * question comes. Locks: cpus_read_lock(), inside it pmc_claims_lock.
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

#include "base/netlink_attr.h"
#include "api/claim.h"
#include "compat/genl.h"
#include "api/context.h"
#include "api/netlink.h"
#include "base/notify.h"
#include "sampling/pmi.h"
#include "sampling/sample_config.h"
#include "pmu/pmu.h"
#include "sampling/ring.h"

/**
 * struct pmc_requester - who asks
 * @privileged:	has CAP_PERFMON
 * @uid:	user
 * @users:	how it numbers users
 * @pids:	how it numbers processes; a dump holds a reference
 */
struct pmc_requester {
	bool privileged;
	kuid_t uid;
	struct user_namespace *users;
	struct pid_namespace *pids;
};

/**
 * struct pmc_dump - how far a dump is
 * @asker:	who asked for it
 * @next:	the CPU or the context to be told next
 */
struct pmc_dump {
	struct pmc_requester asker;
	u64 next;
};

static struct pmc_dump *pmc_dump_of(struct netlink_callback *cb)
{
	BUILD_BUG_ON(sizeof(struct pmc_dump) > sizeof(cb->ctx));
	return (struct pmc_dump *)cb->ctx;
}

/* In the system call of who sends @question. */
static struct pmc_requester pmc_requester(struct sk_buff *question)
{
	return (struct pmc_requester){
		.privileged = netlink_capable(question, CAP_PERFMON) ||
			      netlink_capable(question, CAP_SYS_ADMIN),
		.uid = NETLINK_CREDS(question)->uid,
		.users = sk_user_ns(NETLINK_CB(question).sk),
		.pids = task_active_pid_ns(current),
	};
}

static bool pmc_may_see(const struct pmc_requester *asker, const struct pmc_context *context)
{
	return asker->privileged || uid_eq(asker->uid, context->identity.uid);
}

static struct genl_family pmc_netlink_family;

/* These tell of everybody's contexts. */
#define PMC_GROUP_FLAGS_CONTEXT		GENL_MCAST_CAP_NET_ADMIN
#define PMC_GROUP_FLAGS_OVERFLOW	GENL_MCAST_CAP_NET_ADMIN
#define PMC_GROUP_FLAGS_THROTTLE	GENL_MCAST_CAP_NET_ADMIN
/* Who may see these can see them in sysfs too. */
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
	u64 context = pmc_claim_holder(cpu, counter, &holder);

	if (nla_put_u32(skb, PMC_NETLINK_A_HOLDER, holder.kind))
		return -EMSGSIZE;
	return context ? pmc_put_u64(skb, PMC_NETLINK_A_CONTEXT, context) : 0;
}

static int pmc_put_counter(struct sk_buff *skb, int cpu, u32 counter,
			   const struct pmc_requester *asker)
{
	const struct pmc_description *description = &per_cpu(pmc_pmus, cpu).description;
	struct nlattr *nest = nla_nest_start(skb, PMC_NETLINK_A_COUNTER);
	struct pmc_counter about = { .cpu = cpu };

	if (!description->family ||
	    description->family->describe_counter(&description->query, counter, &about))
		return -EMSGSIZE;
	if (!nest || nla_put_u32(skb, PMC_NETLINK_A_NUMBER, counter) ||
	    nla_put_u32(skb, PMC_NETLINK_A_WIDTH, about.width))
		return -EMSGSIZE;
	if (asker->privileged && pmc_put_holder(skb, cpu, counter))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int pmc_put_counters(struct sk_buff *skb, int cpu, const struct pmc_query *query,
			    const struct pmc_requester *asker)
{
	u32 i;

	for (i = 0; i < PMC_GENERAL_MAX; i++) {
		if (query->general_counters & BIT_ULL(i) &&
		    pmc_put_counter(skb, cpu, PMC_COUNTER_GENERAL(i), asker))
			return -EMSGSIZE;
	}
	for (i = 0; i < PMC_FIXED_MAX; i++) {
		if (query->fixed_counters & BIT_ULL(i) &&
		    pmc_put_counter(skb, cpu, PMC_COUNTER_FIXED(i), asker))
			return -EMSGSIZE;
	}
	return 0;
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
static int pmc_put_cpu(struct sk_buff *skb, int cpu, const struct pmc_requester *asker)
{
	const struct pmc_query *query = &per_cpu(pmc_pmus, cpu).description.query;

	if (nla_put_u32(skb, PMC_NETLINK_A_CPU, cpu) ||
	    nla_put_u32(skb, PMC_NETLINK_A_STATUS, query->status))
		return -EMSGSIZE;
	if (query->status == PMC_STATUS_OFFLINE)
		return 0;
	if (pmc_put_processor(skb, query))
		return -EMSGSIZE;
	/* what is there but can't be used is only in the masks */
	return query->status == PMC_STATUS_OK ? pmc_put_counters(skb, cpu, query, asker) : 0;
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
	struct pmc_statistics told = {};

	pmc_rings_statistics(rings, &told);
	if (pmc_put_u64(skb, PMC_NETLINK_A_OVERFLOWS, pmc_rings_overflows(rings, -1)) ||
	    pmc_put_u64(skb, PMC_NETLINK_A_RECORDS, told.records) ||
	    pmc_put_u64(skb, PMC_NETLINK_A_SAMPLED, told.sampled) ||
	    pmc_put_u64(skb, PMC_NETLINK_A_LOST, told.lost) ||
	    pmc_put_u64(skb, PMC_NETLINK_A_THROTTLED, told.throttled) ||
	    pmc_put_u64(skb, PMC_NETLINK_A_MMAPS_LOST, told.mmaps_lost) ||
	    pmc_put_u64(skb, PMC_NETLINK_A_WAKEUPS, told.wakeups))
		return -EMSGSIZE;
	return pmc_put_periods(skb, context->program);
}

/* cpus_read_lock() and the claims' lock are held. */
static int pmc_put_context(struct sk_buff *skb, struct pmc_context *context,
			   const struct pmc_requester *asker)
{
	bool follows = pmc_context_follows(context);

	if (pmc_notify_put_identity(skb, &context->identity,
				    from_kuid_munged(asker->users, context->identity.uid),
				    pid_nr_ns(context->owner, asker->pids),
				    follows ? pid_nr_ns(context->target.pid, asker->pids) : 0) ||
	    nla_put_u32(skb, PMC_NETLINK_A_STATE, pmc_context_state(context)))
		return -EMSGSIZE;
	return context->sampling ? pmc_put_sampling(skb, context) : 0;
}

/*
 * The context with the lowest number from @first on, of those that @asker may see, or of
 * all. They are not in the order of their numbers in the list. The claims' lock is held.
 */
static struct pmc_context *pmc_context_from(u64 first, const struct pmc_requester *asker)
{
	struct pmc_context *context, *found = NULL;

	list_for_each_entry(context, &pmc_contexts, node) {
		u64 id = pmc_context_id(context);

		if (id && id >= first && (!found || id < found->identity.id) &&
		    (!asker || pmc_may_see(asker, context)))
			found = context;
		cond_resched();
	}
	return found;
}

/* ---- questions ---- */

/* The beginning of an answer; NULL when out of memory. */
static struct sk_buff *pmc_reply_begin(struct genl_info *info, void **header)
{
	struct sk_buff *skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);

	pmc_notify_listener_added();
	if (skb)
		*header = genlmsg_put_reply(skb, info, &pmc_netlink_family, 0,
					    info->genlhdr->cmd);
	return skb;
}

/* Send the answer, unless it went wrong. */
static int pmc_reply_end(struct sk_buff *skb, void *header, struct genl_info *info, int err)
{
	if (err) {
		nlmsg_free(skb);
		return err;
	}
	genlmsg_end(skb, header);
	return genlmsg_reply(skb, info);
}

static int pmc_get_driver(struct sk_buff *question, struct genl_info *info)
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

static int pmc_get_cpu(struct sk_buff *question, struct genl_info *info)
{
	struct pmc_requester asker = pmc_requester(question);
	int cpu = pmc_request_cpu(info), err;
	struct sk_buff *skb;
	void *header;

	if (cpu < 0)
		return cpu;
	skb = pmc_reply_begin(info, &header);
	if (!skb)
		return -ENOMEM;
	cpus_read_lock();
	err = pmc_put_cpu(skb, cpu, &asker);
	cpus_read_unlock();
	return pmc_reply_end(skb, header, info, err);
}

/* cpus_read_lock() and the claims' lock are held. */
static int pmc_put_requested_context(struct sk_buff *skb, struct genl_info *info,
				 const struct pmc_requester *asker)
{
	const struct nlattr *attribute = info->attrs[PMC_NETLINK_A_CONTEXT];
	u64 id = nla_get_u64(attribute);
	struct pmc_context *context;

	context = id ? pmc_context_from(id, NULL) : NULL;
	if (!context || context->identity.id != id) {
		NL_SET_ERR_MSG_ATTR(info->extack, attribute, "there is no such context");
		return -ENOENT;
	}
	if (!pmc_may_see(asker, context)) {
		NL_SET_ERR_MSG_ATTR(info->extack, attribute,
				    "another user's context is told only with CAP_PERFMON");
		return -EACCES;
	}
	return pmc_put_context(skb, context, asker);
}

static int pmc_get_context(struct sk_buff *question, struct genl_info *info)
{
	struct pmc_requester asker = pmc_requester(question);
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
	mutex_lock(&pmc_claims_lock);
	err = pmc_put_requested_context(skb, info, &asker);
	mutex_unlock(&pmc_claims_lock);
	cpus_read_unlock();
	return pmc_reply_end(skb, header, info, err);
}

static int pmc_put_group(struct sk_buff *skb, unsigned int group)
{
	const char *name = pmc_netlink_groups[group].name;
	struct nlattr *nest = nla_nest_start(skb, PMC_NETLINK_A_GROUP);
	struct pmc_notify_group_statistics told;

	pmc_notify_statistics(group, &told);
	if (!nest || nla_put_string(skb, PMC_NETLINK_A_GROUP_NAME, name) ||
	    pmc_put_u64(skb, PMC_NETLINK_A_SEQUENCE, told.sequence) ||
	    pmc_put_u64(skb, PMC_NETLINK_A_UNSENT, told.unsent))
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

static int pmc_get_statistics(struct sk_buff *question, struct genl_info *info)
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
	pmc_notify_listener_added();
	dump->asker = pmc_requester(cb->skb);
	get_pid_ns(dump->asker.pids);
	dump->next = 0;
	return 0;
}

static int pmc_dump_done(struct netlink_callback *cb)
{
	put_pid_ns(pmc_dump_of(cb)->asker.pids);
	return 0;
}

/* One message of a dump; -EMSGSIZE and nothing if it has no room. */
static void *pmc_dump_message(struct sk_buff *skb, struct netlink_callback *cb, u8 command)
{
	return genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
			   &pmc_netlink_family, NLM_F_MULTI, command);
}

static int pmc_dump_cpu(struct sk_buff *skb, struct netlink_callback *cb, int cpu)
{
	void *header = pmc_dump_message(skb, cb, PMC_NETLINK_GET_CPU);

	if (!header || pmc_put_cpu(skb, cpu, &pmc_dump_of(cb)->asker)) {
		genlmsg_cancel(skb, header);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, header);
	return 0;
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
	/* with something in it: go on with the next one */
	return skb->len ? skb->len : err;
}

static int pmc_dump_context(struct sk_buff *skb, struct netlink_callback *cb,
			    struct pmc_context *context)
{
	void *header = pmc_dump_message(skb, cb, PMC_NETLINK_GET_CONTEXT);

	if (!header || pmc_put_context(skb, context, &pmc_dump_of(cb)->asker)) {
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
	int err = 0;

	cpus_read_lock();
	mutex_lock(&pmc_claims_lock);
	while (!err && (context = pmc_context_from(dump->next, &dump->asker))) {
		err = pmc_dump_context(skb, cb, context);
		if (!err)
			dump->next = context->identity.id + 1;
	}
	mutex_unlock(&pmc_claims_lock);
	cpus_read_unlock();
	return skb->len ? skb->len : err;
}

/* ---- the family ---- */

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

/**
 * pmc_netlink_init - answer questions, and tell what happens
 *
 * Return: 0 or a negative errno.
 */
int pmc_netlink_init(void)
{
	int err;

	err = genl_register_family(&pmc_netlink_family);
	if (err)
		return err;
	err = pmc_notify_init(&pmc_netlink_family);
	if (err)
		genl_unregister_family(&pmc_netlink_family);
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
